import { join } from 'node:path'
import { type NamedFinding, REPAIRED_CHECKS } from '../../shared/check.ts'
import type { BackupListing, RestoreReport } from '../../shared/contract/daemon/backups.ts'
import type { Repair } from '../../shared/contract/daemon/checks.ts'
import { runDatabaseTool } from '../../shared/database-tool.ts'
import { packageRoot } from './package-root.ts'

export interface RestoreFlags {
  partial: boolean
  newSecretKey: boolean
}

/** Checks the machine and the home. `daemonPid`: the running daemon, which may have other limits. */
export function checkMachine(env: NodeJS.ProcessEnv, daemonPid: number | undefined): Promise<NamedFinding[]> {
  return runTool(env, ['checks', ...optionalArgument(daemonPid?.toString())])
}

/** Repairs the home without loss, whether or not its daemon is running. */
export function repairHome(env: NodeJS.ProcessEnv): Promise<Repair[]> {
  return runTool(env, ['repair', ...REPAIRED_CHECKS])
}

export function listBackups(env: NodeJS.ProcessEnv): Promise<BackupListing> {
  return runTool(env, ['list'])
}

/** Reads the whole backup, by default the newest. */
export function verifyBackup(
  env: NodeJS.ProcessEnv,
  backup: string | undefined,
): Promise<{ file: string; problems: string[] }> {
  return runTool(env, ['verify', ...optionalArgument(backup)])
}

/** Throws the errors that `restoreBackup` would throw, without changing anything. */
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

function runTool<T>(env: NodeJS.ProcessEnv, args: string[]): Promise<T> {
  const program = join(packageRoot(), 'dist', 'database.js')
  return runDatabaseTool(args, { program, env, failure: 'Could not read the database' })
}
