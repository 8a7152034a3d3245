import { existsSync } from 'node:fs'
import { formatDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { checkDatabase, inspectHome, listBackups } from '../local-daemon/run-database-tool.ts'
import { type Finding, fail, pass } from './check.ts'

/** Reads the whole database, whether or not the daemon is running. */
export async function checkDatabaseFile({ paths, env }: CommandContext): Promise<Finding> {
  const file = paths.database
  try {
    const { lost } = await inspectHome(env).catch((): { lost?: string } => ({})) // damaged, see below
    if (lost) return fail(lost, ...(await restoreStep(env, paths)))
    if (!existsSync(file)) return pass('none yet (created by the first start of the daemon)')
    const { problems, bytes, walBytes } = await checkDatabase(env)
    if (problems.length > 0) return await damagedFinding(env, paths, problems)
    return pass(`${file} is valid (${kilobytes(bytes)} and a log of ${kilobytes(walBytes)})`)
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    return fail(`${file}: ${error.message}`, ...(await restoreStep(env, paths)))
  }
}

/** Never repaired automatically, because a restore loses everything after the backup. */
async function damagedFinding(
  env: NodeJS.ProcessEnv,
  paths: HomePaths,
  problems: readonly string[],
): Promise<Finding> {
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : ''
  return fail(`${paths.database} is damaged: ${problems[0]}${more}`, ...(await restoreStep(env, paths)))
}

async function restoreStep(
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
  const name = quoteShellWord(paths.database)
  const move = existsSync(paths.database)
    ? `for end in '' -wal -shm; do mv ${name}$end ${name}.damaged$end; done; `
    : ''
  return [
    'There is no backup. Start without servers (files of the old ones are kept for seven days)',
    `mcp daemon stop; ${move}mcp daemon start --new-database`,
  ]
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KB`
}
