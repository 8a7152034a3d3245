import type { LogLine } from '../instances/log-line.ts'

/** Arguments of a request as JSON. Empty when there are none. */
export function argumentsText(args: unknown): string {
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {})
  return text === '{}' ? '' : text
}

/**
 * Outcome of a request on one line: `ok`, or `error: <reason>`. Empty for a line that is not about a request, and for a refused
 * request, because its message contains the outcome.
 */
export function outcomeText({
  outcome,
  reason,
  status,
}: Pick<LogLine, 'outcome' | 'reason' | 'status'>): string {
  if (typeof outcome !== 'string' || status !== undefined) return ''
  return typeof reason === 'string' ? `${outcome}: ${reason.replaceAll('\n', ' ')}` : outcome
}
