const PREFIX = '=?base64?'
const SUFFIX = '?='
/** RFC 4648 section 4, with padding. */
const CANONICAL = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * The text that a header stands for: as it is, or UTF-8 in base 64 between `=?base64?` and `?=` (SEP-2243, "Value
 * Encoding"). Undefined when what is between them is neither.
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX) || value.length < PREFIX.length + SUFFIX.length)
    return value
  const encoded = value.slice(PREFIX.length, -SUFFIX.length)
  if (!CANONICAL.test(encoded)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'))
  } catch {
    // Not UTF-8, and so not a value that a client may send.
    return undefined
  }
}
