/**
 * Reads the caller's token from the `_meta` of a tool call, `meta.authorization.token`. Verify the token, because the client
 * can write anything there. Without a token, return the result of `createAuthError`.
 */
export function getToken(meta: unknown): string | undefined {
  const authorization = (meta as { authorization?: unknown } | null | undefined)?.authorization
  const token = (authorization as { token?: unknown } | null | undefined)?.token
  return typeof token === 'string' && token !== '' ? token : undefined
}
