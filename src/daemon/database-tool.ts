import { homePaths } from '../shared/paths.ts'
import { startFailure } from './daemon-log.ts'
import { restoreDatabase } from './restore-database.ts'
import { checkDatabase } from './store/check-database.ts'

/**
 * What the command line has done with the daemon's database, which it never opens itself, while the daemon runs or cannot
 * start: `check [file]`, `restore <file>`. Prints one JSON document, or the error on standard error as the daemon does.
 */
function run(task: string | undefined, file: string | undefined): object {
  const paths = homePaths()
  if (task === 'check') return checkDatabase(file ?? paths.database)
  if (task === 'restore' && file) return restoreDatabase(paths, file)
  throw new Error(`"${task}" is nothing that can be done with a database: check, restore`)
}

try {
  const [, , task, file] = process.argv
  console.log(JSON.stringify(run(task, file)))
} catch (error) {
  console.error(JSON.stringify(startFailure(error)))
  process.exitCode = 1
}
