import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { LogLine } from '../../../shared/instances/log-line.ts'

/** Output of host processes is in `spares/` until they get work, and in `hosts/` for shared processes. */
export function spareLogPath(logsDir: string, hostId: string): string {
  return join(logsDir, 'spares', `${hostId}.log`)
}

export function sharedHostLogPath(logsDir: string, hostId: string): string {
  return join(logsDir, 'hosts', `${hostId}.log`)
}

export function instanceLogPath(logsDir: string, servedId: string, instanceId: string): string {
  return join(logsDir, servedId, `${instanceId}.log`)
}

/** Removes the output of spares and shared hosts left by an earlier daemon. */
export function removeLeftoverLogs(logsDir: string): void {
  for (const folder of ['spares', 'hosts']) {
    const path = join(logsDir, folder)
    try {
      for (const name of readdirSync(path)) rmSync(join(path, name), { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

/** The last lines of a process as text. Log lines are reduced to their message. */
function lastLines(path: string, count: number): string[] {
  return readLogTail(path)
    .split('\n')
    .map(readableLine)
    .filter(line => line.trim() !== '')
    .slice(-count)
}

/** The last lines for an error message, without V8's report on a full heap. */
export function lastLogLines(path: string): string[] {
  return lastLines(path, 40)
    .filter(line => !HEAP_REPORT.test(line))
    .slice(-20)
}

const HEAP_REPORT =
  /^<--- (?:Last few GCs|JS stacktrace) --->|^\[\d+:0x[\da-f]+\] .* ms: |^----- Native stack trace -----|^ *\d+: 0x[\da-f]+ |^FATAL ERROR: .*heap/i

/** Number of bytes read from the end of a log. Enough for V8's report and the lines that are shown. */
const TAIL_BYTES = 8192

/** Empty when the file cannot be read, because errors are complete without log lines. */
export function readLogTail(path: string): string {
  try {
    const file = openSync(path, 'r')
    try {
      const { size } = fstatSync(file)
      const tail = Buffer.alloc(Math.min(size, TAIL_BYTES))
      readSync(file, tail, 0, tail.length, size - tail.length)
      const text = tail.toString('utf8')
      return size > TAIL_BYTES ? text.slice(text.indexOf('\n') + 1) : text
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}

function readableLine(line: string): string {
  if (!line.startsWith('{')) return line
  try {
    return (JSON.parse(line) as Partial<LogLine>).message ?? line
  } catch {
    return line
  }
}

/**
 * V8 reports a full heap only in the process's output. Its report takes up to a second, during which the process may be
 * killed for not responding. `printed`: the end of that output. Output of user code is wrapped in JSON lines.
 */
export function heapFailure(
  signal: NodeJS.Signals | null,
  printed: string,
  memoryLimitMb: number,
): string | undefined {
  if (signal !== 'SIGABRT' && signal !== 'SIGKILL') return undefined
  const isOutOfMemory = /^FATAL ERROR: .*heap out of memory/m.test(printed)
  return isOutOfMemory ? `crashed: out of memory (limit ${memoryLimitMb} MB)` : undefined
}
