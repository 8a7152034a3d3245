/** Protocol revisions of the modern, stateless era, newest first. */
export const MODERN_REVISIONS = ['2026-07-28'] as const

/** Keys in `_meta` of modern messages. Those of requests replace a session (2026-07-28 basic, "_meta"). */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const

/** Plain text, or UTF-8 as base64 (SEP-2243, "Value Encoding"). */
export function encodeHeaderValue(text: string): string {
  const isPlain = /^[\x21-\x7e]+( +[\x21-\x7e]+)*$/.test(text) && !text.startsWith('=?base64?')
  if (isPlain) return text
  const bytes = Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte))
  return `=?base64?${btoa(bytes.join(''))}?=`
}
