import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** What bubblewrap is good for here. */
export type Bubblewrap =
  | { usable: true; file: string; canSizeMemory?: boolean }
  | { usable: false; why: string }

const TRIAL_MS = 5000

/**
 * Own processes, devices and temporary files. Everything else can be read and not written. bubblewrap itself leaves
 * /proc/sys writable for root, who owns the files in it.
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

/** Mounts an empty folder that is held in memory. Only newer versions of bubblewrap (Debian 12) know `--size`. */
export function inMemory(path: string, { mode, bytes }: { mode?: string; bytes?: number | undefined } = {}) {
  return [
    ...(mode === undefined ? [] : ['--perms', mode]),
    ...(bytes === undefined ? [] : ['--size', String(bytes)]),
    '--tmpfs',
    path,
  ]
}

/**
 * Looks for bubblewrap in the folders of `path` and tries it (some 8 ms): installed is not enough, because many containers
 * and some systems forbid what it needs, user namespaces.
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

/** Returns undefined when it works, otherwise why it does not. */
function trial(file: string, args: readonly string[]): string | undefined {
  const line = [...SANDBOX_BASE, ...args, '--', '/bin/sh', '-c', ':']
  const { status, error, stderr } = spawnSync(file, line, { timeout: TRIAL_MS, encoding: 'utf8' })
  if (status === 0) return undefined
  return error?.message ?? stderr.trim().split('\n')[0] ?? `it ended with ${status}`
}

/** Undefined when it is not installed. */
export function bubblewrapFile(path: string): string | undefined {
  return path
    .split(delimiter)
    .map(folder => join(folder, 'bwrap'))
    .find(candidate => isAbsolute(candidate) && existsSync(candidate))
}
