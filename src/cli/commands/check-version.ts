import { defineCommand } from '../command-line/command.ts'
import { checkLatestVersion } from '../update/latest-version.ts'

/** Other commands start this one in the background when the last check is at least a day old. */
export default defineCommand({
  name: '__check-version',
  run: ({ paths, env }) => checkLatestVersion(paths, env),
})
