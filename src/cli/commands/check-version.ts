import { defineCommand } from '../command-line/command.ts'
import { checkLatestVersion } from '../update/latest-version.ts'

/** Other commands start it in the background when the last check was a day ago. */
export default defineCommand({
  name: '__check-version',
  run: ({ paths, env }) => checkLatestVersion(paths, env),
})
