import type { HttpHandler } from '../../../shared/definitions/definitions.ts'

/** https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2 */
const IDEMPOTENT = new Set<HttpHandler['method']>(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])
const RETRIED_STATUSES = new Set([429, 502, 503, 504])
const CONNECTION_FAULTS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
])
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000

export function isRetriedStatus(method: HttpHandler['method'], status: number): boolean {
  return IDEMPOTENT.has(method) && RETRIED_STATUSES.has(status)
}

export function isRetriedFault(method: HttpHandler['method'], error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return IDEMPOTENT.has(method) && code !== undefined && CONNECTION_FAULTS.has(code)
}

/** The upstream's `Retry-After` (RFC 9110 10.2.3: seconds or a date), otherwise exponential back-off with jitter. */
export function backOffMs(attempt: number, retryAfter?: string, now = Date.now()): number {
  const requestedMs = retryAfter === undefined ? Number.NaN : retryAfterMs(retryAfter, now)
  if (!Number.isNaN(requestedMs)) return Math.max(0, requestedMs)
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt)
  return pause * (0.5 + Math.random() / 2)
}

function retryAfterMs(value: string, now: number): number {
  return /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
}
