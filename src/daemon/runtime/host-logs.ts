import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { LogLine } from '../../shared/instance-protocol.ts'

/** Where the output of host processes goes: `spares/` until one is given away, `hosts/` for shared ones. */
export function spareLogPath(logsDir: string, hostId: string): string {
  return join(logsDir, 'spares', `${hostId}.log`)
}

export function sharedHostLogPath(logsDir: string, hostId: string): string {
  return join(logsDir, 'hosts', `${hostId}.log`)
}

export function instanceLogPath(logsDir: string, servedId: string, instanceId: string): string {
  return join(logsDir, servedId, `${instanceId}.log`)
}

/** Spares and shared hosts of an earlier daemon are gone, so their files tell nothing any more. */
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

/** The last lines a process wrote, without the structure around its log lines; `[]` when there is no such file. */
function lastLines(path: string, count: number): string[] {
  return readLogTail(path)
    .split('\n')
    .map(readableLine)
    .filter(line => line.trim() !== '')
    .slice(-count)
}

/** The same for a person to read: without the report of addresses that V8 makes when its heap is full. */
export function shownLines(path: string): string[] {
  return lastLines(path, 40)
    .filter(line => !HEAP_REPORT.test(line))
    .slice(-20)
}

const HEAP_REPORT =
  /^<--- (?:Last few GCs|JS stacktrace) --->|^\[\d+:0x[\da-f]+\] .* ms: |^----- Native stack trace -----|^ *\d+: 0x[\da-f]+ |^FATAL ERROR: .*heap/i

/** Bytes: more than V8's report and what people read. */
const TAIL_BYTES = 8192

/** Empty when there is no such file: the reason for an end is told without it as well. */
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
 * V8 tells it in the process's output only, and then takes up to a second for its report, in which the process may be
 * killed because it does not answer. `printed`: the end of that output. What user code prints
 * is in lines of JSON.
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
