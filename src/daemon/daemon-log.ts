import { copyFileSync, existsSync, statSync, truncateSync, writeSync } from 'node:fs'
import { HostingError } from '../shared/errors.ts'

export type DaemonLogLevel = 'info' | 'warn' | 'error'

const STANDARD_ERROR = 2

/**
 * One JSON line on standard error, which `mcp daemon start` points at `logs/daemon.log`. Not through `process.stderr`: that
 * ends the process when the disk is full, and writes nothing more once it has room again.
 */
export function logDaemon(
  level: DaemonLogLevel,
  message: string,
  fields: Record<string, unknown> = {},
): void {
  const line = JSON.stringify({ timestamp: new Date().toISOString(), level, message, ...fields })
  try {
    writeSync(STANDARD_ERROR, `${line}\n`)
  } catch {
    // A line that finds no place is lost; what it tells of must go on.
  }
}

/** An error for the log: with its stack and causes, which no client ever sees. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) }
  const cause = error.cause === undefined ? {} : { cause: errorFields(error.cause) }
  const code = (error as { code?: unknown }).code
  return { error: error.message, ...(code === undefined ? {} : { code }), stack: error.stack, ...cause }
}

/** The last line a daemon writes when it cannot start; `mcp daemon start` shows it to the user as it is. */
export function startFailure(error: unknown): Record<string, unknown> {
  const known = error instanceof HostingError ? error : undefined
  const body = known?.toBody() ?? {
    code: 'INTERNAL',
    message: `The daemon could not start: ${(error as Error)?.message ?? error}`,
  }
  return { error: { ...body, ...(known?.next.length ? { next: known.next } : {}) } }
}

/** Keeps one older daemon log once the current one has grown past `maxBytes`; its descriptor was inherited, so the file stays. */
export function rotateDaemonLog(path: string, maxBytes = 10_000_000): void {
  try {
    if (!existsSync(path) || statSync(path).size <= maxBytes) return
    copyFileSync(path, `${path}.1`)
    truncateSync(path)
  } catch (error) {
    logDaemon('warn', 'the log was not rotated', errorFields(error)) // a full disk: the next look tries again
  }
}
