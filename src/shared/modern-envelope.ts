/** Protocol revisions of the modern, stateless era, newest first. */
export const MODERN_REVISIONS = ['2026-07-28'] as const

/** Keys in `params._meta` of a modern request, which replace a session (2026-07-28 basic, "_meta"). */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const
