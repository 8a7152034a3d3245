import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { LogLine } from '../../src/shared/instance-protocol.ts'

/** A line of so many seconds after 1970 began. */
export function logLine(second: number, message: string, more: Partial<LogLine> = {}): LogLine {
  return {
    timestamp: new Date(second * 1000).toISOString(),
    level: 'info',
    stream: 'server',
    message,
    ...more,
  }
}

/** Adds lines to the log of an instance, as it does itself. `folder`: of its deployment. */
export function writeLines(folder: string, instance: string, ...lines: LogLine[]): void {
  mkdirSync(folder, { recursive: true })
  const text = lines.map(line => `${JSON.stringify(line)}\n`).join('')
  appendFileSync(join(folder, `${instance}.log`), text)
}
