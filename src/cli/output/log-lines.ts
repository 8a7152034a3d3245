import { formatDurationMs } from '../../shared/duration.ts'
import type { LogLine } from '../../shared/instances/instance-protocol.ts'
import type { Style } from './style.ts'
import { printable } from './table.ts'

/** A line as the API sends it. Other APIs may send only a message. */
export type LogEntry = Partial<Omit<LogLine, 'level' | 'stream'>> & {
  message: string
  level?: string
  stream?: string
  phase?: string
}

/** One page of `…/logs`. Also accepts a bare list and plain strings, because the contract does not define the shape. */
export function readLogPage(body: unknown): { lines: LogEntry[]; nextToken: string | undefined } {
  const page = (body ?? {}) as { lines?: unknown; logs?: unknown; nextToken?: unknown }
  const lines = [body, page.lines, page.logs].find(Array.isArray) ?? []
  const nextToken = typeof page.nextToken === 'string' && page.nextToken !== '' ? page.nextToken : undefined
  return { lines: lines.map(toEntry), nextToken }
}

function toEntry(line: unknown): LogEntry {
  if (typeof line === 'string') return { message: line }
  const entry = line as Record<string, unknown>
  return { ...entry, message: String(entry.message ?? '') }
}

/** `2026-11-21 08:00:00.123 info  mcp    tools/call add ok 3 ms` */
export function formatLogLine(line: LogEntry, style: Style): string {
  const { timestamp, level, stream, phase, message } = line
  // A deployment has only one phase.
  const origin = phase && phase !== 'RUN' ? phase.padEnd(15) : stream?.padEnd(6)
  const time = timestamp?.replace('T', ' ').replace('Z', '')
  const paint = level === 'error' ? style.red : level === 'warn' ? style.yellow : (text: string) => text
  const head = [time && style.dim(time), level && paint(level.padEnd(5)), origin && style.dim(origin)]
  return [...head, paint(indented(message)), ...outcomeOf(line)].filter(Boolean).join(' ')
}

/** Continuation lines of a message must not look like separate log lines. */
function indented(message: string): string {
  return printable(message).replaceAll('\n', '\n    ')
}

function outcomeOf({ outcome, ms, arguments: args }: LogEntry): string[] {
  return [shownArguments(args), outcome ?? '', ms === undefined ? '' : formatDurationMs(ms)]
}

const SHOWN_CHARACTERS = 200

/** On one line, truncated. */
function shownArguments(args: unknown): string {
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {})
  if (text === '{}') return ''
  return printable(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text)
}
