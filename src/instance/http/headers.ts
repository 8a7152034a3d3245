import type { IncomingMessage } from 'node:http'

/** Of one connection, so not to be passed on (RFC 9110 7.6.1); `expect` was answered by Node already. */
export const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
])

/** One header's value; a repeated one as a list (RFC 9110 5.3). Node gives the name in lower case and the value trimmed. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** Whether a `Content-Type` says JSON, whatever its parameters. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}

/** Whether an `Accept` covers the media type (RFC 9110 12.5.1). An absent one covers everything. */
export function accepts(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined || accept.includes(mediaType)) return true
  const group = `${mediaType.slice(0, mediaType.indexOf('/'))}/*`
  const ranges = accept.split(',').map(range => range.split(';', 1)[0]!.trim().toLowerCase())
  return ranges.some(range => range === '*/*' || range === group || range === mediaType)
}
