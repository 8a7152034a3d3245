import { defineCommand } from '../command-line/command.ts'
import { checkLatestVersion } from '../update/latest-version.ts'

/** Started in the background by a command whose known version is a day old. */
export default defineCommand({
  name: '__check-version',
  run: ({ paths, env }) => checkLatestVersion(paths, env),
})
