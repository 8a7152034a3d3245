import { existsSync } from 'node:fs'
import { type Finding, fail, pass } from '../../shared/check.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import { checkDatabase } from '../store/check-database.ts'
import type { MachineContext } from './machine-context.ts'

/** Reads the whole database, whether or not the daemon is running. */
export async function checkDatabaseFile(context: MachineContext): Promise<Finding> {
  const file = context.paths.database
  try {
    const lost = context.lostDatabase()
    if (lost !== undefined) return fail(lost, ...(await restoreStep(context)))
    if (!existsSync(file)) return pass('none yet (created by the first start of the daemon)')
    const { problems, bytes, walBytes } = checkDatabase(file)
    if (problems.length > 0) return await damagedFinding(context, problems)
    return pass(`${file} is valid (${kilobytes(bytes)} and a write-ahead log of ${kilobytes(walBytes)})`)
  } catch (error) {
    return fail(`${file}: ${(error as Error).message}`, ...(await restoreStep(context)))
  }
}

/** A damaged database is never repaired automatically, because a restore loses all changes since the backup. */
async function damagedFinding(context: MachineContext, problems: readonly string[]): Promise<Finding> {
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : ''
  const message = `${context.paths.database} is damaged: ${problems[0]}${more}`
  return fail(message, ...(await restoreStep(context)))
}

async function restoreStep({
  paths,
  listBackups,
}: MachineContext): Promise<[description: string, command: string]> {
  const { items, storageError } = await listBackups()
  const [newest] = items
  if (newest) {
    const { createdAt } = newest
    const age = createdAt
      ? `, made ${formatDurationMs(Math.max(0, Date.now() - Date.parse(createdAt)))} ago`
      : ''
    return [`Restore the last backup${age}`, 'mcp daemon restore']
  }
  if (storageError !== undefined)
    return [
      `There is no backup in the home, and external storage could not be read: ${storageError} Fix access to the storage, then restore`,
      'mcp daemon restore',
    ]
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
