import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

export type Bubblewrap =
  | { usable: true; file: string; canSizeMemory?: boolean }
  | { usable: false; why: string }

const TRIAL_MS = 5000

/**
 * Private processes, devices and temporary files. Everything else is read-only. bubblewrap itself leaves /proc/sys writable
 * for root, who owns the files in it.
 */
export const SANDBOX_BASE = [
  '--die-with-parent',
  '--unshare-pid',
  '--unshare-ipc',
  '--cap-drop',
  'ALL',
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  '--ro-bind',
  '/proc/sys',
  '/proc/sys',
  ...inMemory('/tmp', { mode: '1777' }),
]

/** Mounts an empty folder in memory. `--size` requires the bubblewrap of Debian 12 or newer. */
export function inMemory(path: string, { mode, bytes }: { mode?: string; bytes?: number | undefined } = {}) {
  return [
    ...(mode === undefined ? [] : ['--perms', mode]),
    ...(bytes === undefined ? [] : ['--size', String(bytes)]),
    '--tmpfs',
    path,
  ]
}

/**
 * Finds bubblewrap in `path` and tests it (about 8 ms), because many containers and some systems forbid user namespaces, which it
 * needs.
 */
export function findBubblewrap(path: string): Bubblewrap {
  const file = bubblewrapFile(path)
  if (!file) return { usable: false, why: 'bubblewrap is not installed here' }
  const sized = trial(file, inMemory('/dev/shm', { bytes: 1_048_576 }))
  if (sized === undefined) return { usable: true, file, canSizeMemory: true }
  const why = trial(file, [])
  if (why === undefined) return { usable: true, file }
  return { usable: false, why: `bubblewrap does not work here (${why})` }
}

/** Returns undefined when the sandbox works, otherwise the reason. */
function trial(file: string, args: readonly string[]): string | undefined {
  const line = [...SANDBOX_BASE, ...args, '--', '/bin/sh', '-c', ':']
  const { status, signal, error, stderr } = spawnSync(file, line, { timeout: TRIAL_MS, encoding: 'utf8' })
  if (status === 0) return undefined
  const reason = stderr?.trim().split('\n')[0]
  return error?.message ?? (reason || (signal ? `killed by ${signal}` : `exit code ${status}`))
}

/** Undefined when bubblewrap is not installed. */
export function bubblewrapFile(path: string): string | undefined {
  return path
    .split(delimiter)
    .map(folder => join(folder, 'bwrap'))
    .find(candidate => isAbsolute(candidate) && existsSync(candidate))
}
