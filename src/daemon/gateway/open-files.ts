import { readFileSync } from 'node:fs'

/** Share of the limit on open files that waiting connections to one listener may use. */
const SHARE = 1 / 4

/**
 * Maximum number of waiting connections to one listener. Keeps file descriptors free for other listeners, the database and new
 * processes during a flood. Unlimited if the system has no limit or no /proc (getrlimit(2), RLIMIT_NOFILE).
 */
export function connectionLimit(limits: string = readLimits()): number {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return soft === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(Number(soft) * SHARE))
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
