import type { LogPage } from '../../../shared/contract/monitoring/log-pages.ts'
import { formatMs } from '../../../shared/format/metric-format.ts'
import { shown } from '../text.tsx'

export type LogLine = LogPage['lines'][number]

/** Fields of a line about a request. */
interface RequestFacts {
  outcome?: string
  reason?: string
  ms?: number
  /** HTTP status of a refused request. */
  status?: number
}

/** Maximum length of a line in its row. The details show the whole line. */
const ROW_LENGTH = 600

/** Sequences that colour text or move the cursor of a terminal (ECMA-48): CSI, OSC and two-byte sequences. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])/g

/** Text without colours and cursor movements. */
export function withoutEscapes(text: string): string {
  return text.replace(ESCAPES, '')
}

/** A message on one line. */
export function rowText({ message }: LogLine): string {
  return shown(withoutEscapes(message.slice(0, 2 * ROW_LENGTH)).replace(/\s*\n\s*/g, ' ⏎ '), ROW_LENGTH)
}

/** Outcome and duration of a request. Empty for other lines. */
export function outcomeText(line: LogLine): string {
  const { outcome, reason, ms, status } = line as LogLine & RequestFacts
  // The message of a refused request says that it failed.
  if (status !== undefined) return ''
  const result = reason === undefined ? outcome : `${outcome}: ${shown(withoutEscapes(reason), 200)}`
  return [result, ms === undefined ? undefined : formatMs(ms)].filter(Boolean).join(', ')
}

/** `08:00:00.123` in local time. */
export function timeText(timestamp: string): string {
  const time = new Date(timestamp)
  return `${time.toTimeString().slice(0, 8)}.${String(time.getMilliseconds()).padStart(3, '0')}`
}

/** Fields that the row shows, or that only the link to the line needs. */
const OTHER_FIELDS = ['timestamp', 'level', 'message', 'position']

/** The fields of a line that its row does not show, as text. */
export function detailsOf(line: LogLine): [name: string, value: string][] {
  return Object.entries(line)
    .filter(([name, value]) => value !== undefined && value !== null && !OTHER_FIELDS.includes(name))
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value, null, 2)])
}
