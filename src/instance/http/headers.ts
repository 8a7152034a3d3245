import type { IncomingMessage } from 'node:http'

/** Headers of a single connection, which must not be forwarded (RFC 9110 7.6.1). Node has already answered `expect`. */
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

/** Value of a header, with repeated values joined (RFC 9110 5.3). Node lowercases names and trims values. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** True when a `Content-Type` is JSON, with any parameters. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}

/** True when an `Accept` header covers the media type (RFC 9110 12.5.1). An absent header covers everything. */
export function accepts(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined || accept.includes(mediaType)) return true
  const group = `${mediaType.slice(0, mediaType.indexOf('/'))}/*`
  const ranges = accept.split(',').map(range => range.split(';', 1)[0]!.trim().toLowerCase())
  return ranges.some(range => range === '*/*' || range === group || range === mediaType)
}
