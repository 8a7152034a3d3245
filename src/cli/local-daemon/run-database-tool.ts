import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { NamedFinding } from '../../shared/check.ts'
import type { BackupEntry, RestoreReport } from '../../shared/contract/daemon/backups.ts'
import { type ErrorBody, type ErrorCode, HostingError, type NextStep } from '../../shared/errors.ts'
import { packageRoot } from './package-root.ts'

export interface RestoreFlags {
  partial: boolean
  newSecretKey: boolean
}

/** Checks the machine and the home. `daemonPid`: the running daemon, which may have other limits. */
export function checkMachine(env: NodeJS.ProcessEnv, daemonPid: number | undefined): Promise<NamedFinding[]> {
  return runTool(env, ['checks', ...optionalArgument(daemonPid?.toString())])
}

export function listBackups(env: NodeJS.ProcessEnv): Promise<BackupEntry[]> {
  return runTool(env, ['list'])
}

/** Reads the whole backup, by default the newest. */
export function verifyBackup(
  env: NodeJS.ProcessEnv,
  backup: string | undefined,
): Promise<{ file: string; problems: string[] }> {
  return runTool(env, ['verify', ...optionalArgument(backup)])
}

/** Throws the errors of `restoreBackup` without changing anything. */
export function checkRestore(
  env: NodeJS.ProcessEnv,
  backup: string | undefined,
  flags: RestoreFlags,
): Promise<{ file: string; createdAt?: string }> {
  return runTool(env, ['check-restore', ...optionalArgument(backup), ...flagsOf(flags)])
}

/** Replaces the database with a backup while no daemon is running. */
export function restoreBackup(
  env: NodeJS.ProcessEnv,
  backup: string | undefined,
  flags: RestoreFlags,
): Promise<RestoreReport> {
  return runTool(env, ['restore', ...optionalArgument(backup), ...flagsOf(flags)])
}

function optionalArgument(text: string | undefined): string[] {
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
    return new HostingError('UNAVAILABLE', `Could not read the database: ${cause.message}`, { cause })
  const { code, message, details, next } = (JSON.parse(line) as { error: ErrorBody & { next?: NextStep[] } })
    .error
  return new HostingError(code as ErrorCode, message, { details, next, cause })
}
