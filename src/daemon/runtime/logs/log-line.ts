import type { LinePosition, LogLine } from '../../../shared/instances/log-line.ts'
import { originOf } from './log-segments.ts'

/** Longer lines are split, so that output without line breaks cannot exhaust the memory. */
export const MAX_LINE_BYTES = 1_048_576

/** Parses a line that an instance or the daemon wrote. Undefined for other output. `key`: see `originOf`. */
export function parseStructured(text: string, key: string, at: LinePosition): LogLine | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const line = JSON.parse(text)
    const isOurs = typeof line.timestamp === 'string' && typeof line.message === 'string'
    return isOurs ? { ...line, ...originOf(key), at } : undefined
  } catch {
    return undefined // shown as printed
  }
}

/** Wraps raw output of a process (for example a stack trace of the runtime) as a line of `stderr`. */
export function printedLine(text: string, key: string, timestamp: string, at: LinePosition): LogLine {
  return { timestamp, level: 'error', stream: 'stderr', message: text, ...originOf(key), at }
}
