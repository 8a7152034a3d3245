/**
 * The caller's token from the `_meta` of a tool call, `meta.authorization.token`; undefined when there is none: answer with
 * `createAuthError` then. It is what a client wrote there, so verify it before believing it.
 */
export function getToken(meta: unknown): string | undefined {
  const authorization = (meta as { authorization?: unknown } | null | undefined)?.authorization
  const token = (authorization as { token?: unknown } | null | undefined)?.token
  return typeof token === 'string' && token !== '' ? token : undefined
}
