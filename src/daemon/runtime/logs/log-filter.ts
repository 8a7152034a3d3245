import { argumentsText, outcomeText } from '../../../shared/format/request-text.ts'
import type { LogLine } from '../../../shared/instances/log-line.ts'

/** Fields that must match exactly. */
const FIELDS = ['tool', 'sessionId', 'requestId', 'instance'] as const

export interface LogFilter extends Partial<Record<(typeof FIELDS)[number], string>> {
  /** Case-insensitive. Lines without a phase belong to `RUN`. */
  phase?: string
  /** This level and above. */
  level?: LogLine['level']
  /** ISO 8601, inclusive. */
  since?: string
  /** ISO 8601, exclusive. */
  until?: string
  /** Case-insensitive text that the line must contain as it is printed. */
  grep?: string
  /** Additional condition. */
  accepts?(line: LogLine): boolean
}

/** Phase of a deployment after its build. */
export const RUN_PHASE = 'RUN'

const RANK: Readonly<Record<LogLine['level'], number>> = { debug: 0, info: 1, warn: 2, error: 3 }

export function matchesFilter(line: LogLine, filter: LogFilter): boolean {
  if (filter.level && (RANK[line.level] ?? RANK.info) < RANK[filter.level]) return false
  if (filter.since && line.timestamp < filter.since) return false
  if (filter.until && line.timestamp >= filter.until) return false
  if (filter.phase && (line.phase ?? RUN_PHASE) !== filter.phase.toUpperCase()) return false
  if (FIELDS.some(field => filter[field] !== undefined && line[field] !== filter[field])) return false
  if (filter.accepts && !filter.accepts(line)) return false
  return !filter.grep || containsText(line, filter.grep.toLowerCase())
}

/** Searches the message first, because most searches end there and the arguments of a request may be long. */
function containsText(line: LogLine, text: string): boolean {
  if (line.message.toLowerCase().includes(text)) return true
  return printedText(line).toLowerCase().includes(text)
}

/** Everything that is printed after the level, without the duration. Refused requests also match by their tool. */
function printedText(line: LogLine): string {
  const { message, tool = '', outcome, arguments: args } = line
  if (outcome === undefined && args === undefined) return `${message} ${tool}`
  return [message, argumentsText(args), outcomeText(line), tool].filter(Boolean).join(' ')
}
