import { copyFileSync, existsSync, statSync, truncateSync, writeSync } from 'node:fs'
import { HostingError } from '../shared/errors.ts'

export type DaemonLogLevel = 'info' | 'warn' | 'error'

const STANDARD_ERROR = 2

/**
 * Writes a JSON line to standard error, which `mcp daemon start` redirects to `logs/daemon.log`. Avoids `process.stderr`,
 * because a full disk makes it emit an uncaught error and drop all later lines.
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
    // On a full disk the line is lost. The daemon must keep running.
  }
}

/** Log fields of an error, including stack and causes. Clients never see these. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) }
  const cause = error.cause === undefined ? {} : { cause: errorFields(error.cause) }
  const code = (error as { code?: unknown }).code
  return { error: error.message, ...(code === undefined ? {} : { code }), stack: error.stack, ...cause }
}

/** Content of the last line that a daemon writes when it cannot start. `mcp daemon start` shows the error to the user. */
export function startFailure(error: unknown): Record<string, unknown> {
  const known = error instanceof HostingError ? error : undefined
  const body = known?.toBody() ?? {
    code: 'INTERNAL',
    message: `The daemon could not start: ${(error as Error)?.message ?? error}`,
  }
  return { error: { ...body, ...(known?.next.length ? { next: known.next } : {}) } }
}

/** Copies a log larger than `maxBytes` to `<path>.1`, then truncates it, because its file descriptor was inherited. */
export function rotateDaemonLog(path: string, maxBytes = 10_000_000): void {
  try {
    if (!existsSync(path) || statSync(path).size <= maxBytes) return
    copyFileSync(path, `${path}.1`)
    truncateSync(path)
  } catch (error) {
    logDaemon('warn', 'cannot rotate the log', errorFields(error)) // on a full disk, the next check tries again
  }
}
