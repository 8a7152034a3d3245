const PREFIX = '=?base64?'
const SUFFIX = '?='
/** RFC 4648 section 4, with padding. */
const CANONICAL_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Decodes a header value: plain text, or UTF-8 as base64 between `=?base64?` and `?=` (SEP-2243, "Value Encoding"). Undefined
 * when it is malformed.
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX) || value.length < PREFIX.length + SUFFIX.length)
    return value
  const encoded = value.slice(PREFIX.length, -SUFFIX.length)
  if (!CANONICAL_BASE64.test(encoded)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'))
  } catch {
    // Clients may only send UTF-8.
    return undefined
  }
}
