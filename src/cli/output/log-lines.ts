import { formatDurationMs } from '../../shared/duration.ts'
import { printable } from '../../shared/format/printable.ts'
import { argumentsText, outcomeText } from '../../shared/format/request-text.ts'
import type { LogLine } from '../../shared/instances/log-line.ts'
import type { Style } from './style.ts'

/** A line as the API sends it. Other APIs may send only a message. */
export type LogEntry = Partial<Omit<LogLine, 'level' | 'stream'>> & {
  message: string
  level?: string
  stream?: string
  phase?: string
  server?: string
  environment?: string
  version?: number
}

/** Format of log lines. Default: exact times, without the server. */
export interface LogLayout {
  formatTime?(timestamp: string): string
  /** Prefix that names the server or environment of a line. */
  origin?(line: LogEntry): string
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
export function formatLogLine(line: LogEntry, style: Style, layout: LogLayout = {}): string {
  const { timestamp, level, stream, phase, message } = line
  const { formatTime = exactTime, origin } = layout
  // Every line of a running server has the phase RUN, so its stream says more.
  const part = phase && phase !== 'RUN' ? phase.padEnd(15) : stream?.padEnd(6)
  const time = timestamp && formatTime(timestamp)
  const head = [
    time && style.dim(time),
    origin && style.cyan(origin(line)),
    level && paintLevel(level, style),
    part && style.dim(part),
  ]
  const text = level === 'error' ? style.red(indentLines(message)) : indentLines(message)
  const isBeginning = line.release !== undefined
  return [...head, isBeginning ? style.bold(text) : text, ...outcomeOf(line, style)].filter(Boolean).join(' ')
}

/** `2026-11-21 08:00:00.123` in UTC */
function exactTime(timestamp: string): string {
  return timestamp.replace('T', ' ').replace('Z', '')
}

function paintLevel(level: string, style: Style): string {
  const text = level.padEnd(5)
  if (level === 'error') return style.red(text)
  if (level === 'warn') return style.yellow(text)
  return level === 'debug' ? style.dim(text) : style.green(text)
}

/** Continuation lines of a message must not look like separate log lines. */
function indentLines(message: string): string {
  return printable(message).replaceAll('\n', '\n    ')
}

function outcomeOf(line: LogEntry, style: Style): string[] {
  const { outcome, ms, arguments: args } = line
  const text = printable(outcomeText(line))
  const result = outcome === 'error' ? style.red(text) : text
  return [shownArguments(args), result, ms === undefined ? '' : formatDurationMs(ms)]
}

const SHOWN_CHARACTERS = 200

/** Arguments on one line, truncated. */
function shownArguments(args: unknown): string {
  const text = argumentsText(args)
  return printable(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text)
}
