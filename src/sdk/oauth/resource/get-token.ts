/**
 * Reads the caller's token from the `_meta` of a tool call, `meta.authorization.token`. It must be verified, because the client
 * wrote it. When it is undefined, return `createAuthError`.
 */
export function getToken(meta: unknown): string | undefined {
  const authorization = (meta as { authorization?: unknown } | null | undefined)?.authorization
  const token = (authorization as { token?: unknown } | null | undefined)?.token
  return typeof token === 'string' && token !== '' ? token : undefined
}
