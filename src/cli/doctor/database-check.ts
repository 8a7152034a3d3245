import { existsSync } from 'node:fs'
import { formatDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import type { CommandContext } from '../command-context.ts'
import { checkDatabase, listBackups, momentOfBackup } from '../database-tool.ts'
import { shellWord } from '../shell-word.ts'
import { type Finding, fail, pass } from './check.ts'

/** All of the daemon's database is read, while the daemon uses it or when it cannot start for it. */
export async function checkDatabaseFile({ paths, env }: CommandContext): Promise<Finding> {
  const file = paths.database
  if (!existsSync(file)) return pass('none yet; the first start of the daemon makes it')
  try {
    const { problems, bytes, walBytes } = await checkDatabase(env)
    if (problems.length > 0) return damaged(paths, problems)
    return pass(`${file} is sound (${kilobytes(bytes)}, and ${kilobytes(walBytes)} of changes beside it)`)
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    return fail(`${file}: ${error.message}`, 'Give the file back to your user, and look at its disk')
  }
}

/** To put a backup in its place forgets what came later: nobody is to do that unasked. */
function damaged(paths: HomePaths, problems: readonly string[]): Finding {
  const { database } = paths
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : ''
  const name = shellWord(database)
  const sentence = `${database} is damaged: ${problems[0]}${more}`
  const [newest] = listBackups(paths)
  const moment = newest && momentOfBackup(newest)
  if (!moment)
    return fail(
      sentence,
      'There is no backup of it. Move it away and start with no servers; their files are kept for seven days',
      `mcp daemon stop; for end in '' -wal -shm; do mv ${name}$end ${name}.damaged$end; done; mcp daemon start --new-database`,
    )
  const age = formatDurationMs(Date.now() - moment.getTime())
  return fail(sentence, `Restore the last backup, made ${age} ago`, 'mcp daemon restore')
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`
}
