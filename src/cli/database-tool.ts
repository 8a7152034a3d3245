import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BackupEntry, HomeInspection, RestoreReport } from '../shared/backups.ts'
import { type ErrorBody, type ErrorCode, HostingError, type NextStep } from '../shared/errors.ts'
import { packageRoot } from './package-root.ts'

export interface DatabaseCheck {
  bytes: number
  walBytes: number
  problems: string[]
}

export interface RestoreFlags {
  partial: boolean
  newSecretKey: boolean
}

/** Reads all of the database, or of a backup. Rejects with the reason when it cannot be read. */
export function checkDatabase(env: NodeJS.ProcessEnv, file?: string): Promise<DatabaseCheck> {
  return runTool(env, ['check', ...(file === undefined ? [] : [file])])
}

/** Compares files and last backup of the home with its database. */
export function inspectHome(env: NodeJS.ProcessEnv): Promise<HomeInspection> {
  return runTool(env, ['inspect'])
}

export function listBackups(env: NodeJS.ProcessEnv): Promise<BackupEntry[]> {
  return runTool(env, ['list'])
}

/** Reads all of a backup, the newest by default. */
export function verifyBackup(
  env: NodeJS.ProcessEnv,
  backup: string | undefined,
): Promise<{ file: string; problems: string[] }> {
  return runTool(env, ['verify', ...optional(backup)])
}

/** Throws what `restoreBackup` does, and changes nothing. */
export function checkRestore(
  env: NodeJS.ProcessEnv,
  backup: string | undefined,
  flags: RestoreFlags,
): Promise<{ file: string; createdAt?: string }> {
  return runTool(env, ['check-restore', ...optional(backup), ...flagsOf(flags)])
}

/** Replaces the database by a backup while no daemon runs. */
export function restoreBackup(
  env: NodeJS.ProcessEnv,
  backup: string | undefined,
  flags: RestoreFlags,
): Promise<RestoreReport> {
  return runTool(env, ['restore', ...optional(backup), ...flagsOf(flags)])
}

function optional(text: string | undefined): string[] {
  return text === undefined ? [] : [text]
}

function flagsOf({ partial, newSecretKey }: RestoreFlags): string[] {
  return [...(partial ? ['--partial'] : []), ...(newSecretKey ? ['--new-secret-key'] : [])]
}

async function runTool<T>(env: NodeJS.ProcessEnv, args: string[]): Promise<T> {
  const program = join(packageRoot(), 'dist', 'database.js')
  try {
    const options = { env, maxBuffer: 64 * 1024 * 1024 }
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], options)
    return JSON.parse(stdout)
  } catch (error) {
    throw toolError(error as Error & { stderr?: string })
  }
}

function toolError(cause: Error & { stderr?: string }): HostingError {
  const line = cause.stderr?.split('\n').find(one => one.startsWith('{"error":'))
  if (line === undefined)
    return new HostingError('UNAVAILABLE', `The database could not be read: ${cause.message}`, { cause })
  const { code, message, details, next } = (JSON.parse(line) as { error: ErrorBody & { next?: NextStep[] } })
    .error
  return new HostingError(code as ErrorCode, message, { details, next, cause })
}
