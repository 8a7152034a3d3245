import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { LogLine } from '../../../src/shared/instances/log-line.ts'

/** A line with a time in seconds since 1970. */
export function logLine(second: number, message: string, more: Partial<LogLine> = {}): LogLine {
  return {
    timestamp: new Date(second * 1000).toISOString(),
    level: 'info',
    stream: 'server',
    message,
    ...more,
  }
}

/** Appends lines to an instance's log. `folder`: the deployment's log folder. */
export function writeLines(folder: string, instance: string, ...lines: LogLine[]): void {
  mkdirSync(folder, { recursive: true })
  const text = lines.map(line => `${JSON.stringify(line)}\n`).join('')
  appendFileSync(join(folder, `${instance}.log`), text)
}
