import { HostingError } from '../../../shared/errors.ts'
import type { OlderThan } from './last-lines.ts'
import type { LogPosition } from './log-reader.ts'

/** Tokens that continue a log: positions in base64url. */

/** Undefined with too many instances, so that the client starts over after an interruption. */
export function encodeBounded(position: LogPosition, limit: number): string | undefined {
  return Object.keys(position).length <= limit ? encodeToken(position) : undefined
}

export function encodeToken(position: LogPosition | OlderThan): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** Empty without a token. Throws INVALID_REQUEST for an invalid one. */
export function decodeToken(token: string | undefined): LogPosition {
  return token === undefined ? {} : decode(token, requirePosition)
}

/** Undefined without a token. Throws INVALID_REQUEST for an invalid one. */
export function decodeOlderThan(token: string | undefined): OlderThan | undefined {
  if (token === undefined) return undefined
  return decode(token, ({ timestamp, before }) => {
    if (typeof timestamp !== 'string') throw new Error('no time')
    return { timestamp, before: requirePosition(Object(before)) }
  })
}

function requirePosition(position: Record<string, unknown>): LogPosition {
  for (const { segment, offset } of Object.values(position) as Record<string, unknown>[])
    if (!Number.isSafeInteger(segment) || !Number.isSafeInteger(offset) || Number(offset) < 0)
      throw new Error('not a position')
  return position as LogPosition
}

function decode<T>(token: string, read: (value: Record<string, unknown>) => T): T {
  try {
    return read(JSON.parse(Buffer.from(token, 'base64url').toString('utf8')))
  } catch (cause) {
    throw new HostingError(
      'INVALID_REQUEST',
      `Invalid nextToken "${token.slice(0, 40)}". Use the token from the previous page.`,
      { cause },
    )
  }
}
