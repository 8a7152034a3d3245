import type { LogLine } from '../../shared/instance-protocol.ts'

/** A line longer than this is cut, so that one flood of bytes without a line end cannot fill the memory. */
export const MAX_LINE_BYTES = 1_048_576

/** A line as an instance or the daemon wrote it; undefined for anything else. */
export function parseStructured(text: string, instance: string): LogLine | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const line = JSON.parse(text)
    const isOurs = typeof line.timestamp === 'string' && typeof line.message === 'string'
    return isOurs ? { ...line, instance } : undefined
  } catch {
    return undefined // it is shown as it was printed
  }
}

/** What a process printed by itself (a stack trace of the runtime, a print) as a line of `stderr`. */
export function printedLine(text: string, instance: string, timestamp: string): LogLine {
  return { timestamp, level: 'error', stream: 'stderr', message: text, instance }
}
