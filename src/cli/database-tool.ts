import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ErrorBody, type ErrorCode, HostingError } from '../shared/errors.ts'
import type { HomePaths } from '../shared/paths.ts'
import { packageRoot } from './package-root.ts'

export interface DatabaseCheck {
  bytes: number
  walBytes: number
  problems: string[]
}

/** Reads all of the database, or of a backup. Rejects with the reason when it cannot be read. */
export function checkDatabase(env: NodeJS.ProcessEnv, file?: string): Promise<DatabaseCheck> {
  return runTool(env, ['check', ...(file === undefined ? [] : [file])])
}

/** Puts a backup in the place of the database while no daemon runs; `kept`: the name of what was there. */
export function restoreDatabase(env: NodeJS.ProcessEnv, file: string): Promise<{ kept: string | null }> {
  return runTool(env, ['restore', file])
}

/** Paths of the copies that `mcp daemon backup` made, the newest first. */
export function listBackups({ backups }: HomePaths): string[] {
  if (!existsSync(backups)) return []
  return readdirSync(backups)
    .filter(name => BACKUP.test(name))
    .sort()
    .reverse()
    .map(name => join(backups, name))
}

/** When a backup was made, by its name; undefined for a file of another name. */
export function momentOfBackup(file: string): Date | undefined {
  const [, day, hour, minute, second] = BACKUP.exec(file) ?? []
  return day === undefined ? undefined : new Date(`${day}T${hour}:${minute}:${second}Z`)
}

/** See src/daemon/services/backups.ts. */
const BACKUP = /daemon-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-\d{3}Z\.db$/

async function runTool<T>(env: NodeJS.ProcessEnv, args: string[]): Promise<T> {
  const program = join(packageRoot(), 'dist', 'database.js')
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { env })
    return JSON.parse(stdout)
  } catch (error) {
    throw toolError(error as Error & { stderr?: string })
  }
}

function toolError(cause: Error & { stderr?: string }): HostingError {
  const line = cause.stderr?.split('\n').find(one => one.startsWith('{"error":'))
  if (line === undefined)
    return new HostingError('UNAVAILABLE', `The database could not be looked at: ${cause.message}`, { cause })
  const { code, message, details } = (JSON.parse(line) as { error: ErrorBody }).error
  return new HostingError(code as ErrorCode, message, { details, cause })
}
