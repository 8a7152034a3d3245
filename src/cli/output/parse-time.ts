import { parseDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'

/** A timestamp, or a duration before now, as ISO 8601. Throws INVALID_REQUEST naming the flag. */
export function parseTime(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (/^\d+(\.\d+)?(ms|s|m|h|d|w)$/.test(text))
    return new Date(Date.now() - parseDurationMs(text)).toISOString()
  const date = new Date(text)
  if (!Number.isNaN(date.getTime())) return date.toISOString()
  throw new HostingError(
    'INVALID_REQUEST',
    `${flag} is "${text}", expected a duration such as 10m or a time such as 2026-11-21T08:00:00Z.`,
  )
}
