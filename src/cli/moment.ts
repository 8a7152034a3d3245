import { parseDurationMs } from '../shared/duration.ts'
import { HostingError } from '../shared/errors.ts'

/** `10m` ago or a moment, as ISO 8601. Throws INVALID_REQUEST, naming the flag. */
export function toMoment(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (/^\d+(\.\d+)?(ms|s|m|h|d|w)$/.test(text))
    return new Date(Date.now() - parseDurationMs(text)).toISOString()
  const moment = new Date(text)
  if (!Number.isNaN(moment.getTime())) return moment.toISOString()
  throw new HostingError(
    'INVALID_REQUEST',
    `${flag} is "${text}", expected a duration such as 10m or a time such as 2026-11-21T08:00:00Z.`,
  )
}
