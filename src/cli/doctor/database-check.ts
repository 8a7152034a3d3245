import { existsSync } from 'node:fs'
import { formatDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import type { CommandContext } from '../command-context.ts'
import { checkDatabase, inspectHome, listBackups } from '../database-tool.ts'
import { shellWord } from '../shell-word.ts'
import { type Finding, fail, pass } from './check.ts'

/** All of the daemon's database is read, while the daemon uses it or when it cannot start for it. */
export async function checkDatabaseFile({ paths, env }: CommandContext): Promise<Finding> {
  const file = paths.database
  try {
    const { lost } = await inspectHome(env).catch((): { lost?: string } => ({})) // damaged: see below
    if (lost) return fail(lost, ...(await wayOut(env, paths)))
    if (!existsSync(file)) return pass('none yet; the first start of the daemon makes it')
    const { problems, bytes, walBytes } = await checkDatabase(env)
    if (problems.length > 0) return await damaged(env, paths, problems)
    return pass(`${file} is sound (${kilobytes(bytes)}, and ${kilobytes(walBytes)} of changes beside it)`)
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    return fail(`${file}: ${error.message}`, ...(await wayOut(env, paths)))
  }
}

/** Never done unasked: a restore forgets what came after the backup. */
async function damaged(
  env: NodeJS.ProcessEnv,
  paths: HomePaths,
  problems: readonly string[],
): Promise<Finding> {
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : ''
  return fail(`${paths.database} is damaged: ${problems[0]}${more}`, ...(await wayOut(env, paths)))
}

async function wayOut(
  env: NodeJS.ProcessEnv,
  paths: HomePaths,
): Promise<[description: string, command: string]> {
  const [newest] = await listBackups(env).catch(() => [])
  if (newest) {
    const { createdAt } = newest
    const age = createdAt
      ? `, made ${formatDurationMs(Math.max(0, Date.now() - Date.parse(createdAt)))} ago`
      : ''
    return [`Restore the last backup${age}`, 'mcp daemon restore']
  }
  const name = shellWord(paths.database)
  const move = existsSync(paths.database)
    ? `for end in '' -wal -shm; do mv ${name}$end ${name}.damaged$end; done; `
    : ''
  return [
    'There is no backup of it. Start with no servers; files of the old ones are kept for seven days',
    `mcp daemon stop; ${move}mcp daemon start --new-database`,
  ]
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`
}
