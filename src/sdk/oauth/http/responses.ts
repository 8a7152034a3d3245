import type { OAuthError } from '../oauth-error.ts'

/** Required for responses with tokens (RFC 6749 5.1). */
const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

export function jsonResponse(
  body: unknown,
  init: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return new Response(JSON.stringify(body), {
    status: init.status ?? 200,
    headers: { 'Content-Type': 'application/json', ...NO_STORE, ...init.headers },
  })
}

export function errorResponse(error: OAuthError): Response {
  return jsonResponse(
    { error: error.code, error_description: errorDescription(error.message) },
    { status: error.status, headers: error.headers },
  )
}

/** Replaces characters that RFC 6749 5.2 does not allow in a description. Printable ASCII is allowed, except `"` and `\`. */
export function errorDescription(message: string): string {
  return message.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/g, '?')
}

/**
 * Redirects a browser. Use 303 after a POST, so that the form is not sent again (RFC 9700 4.12). Sends no referrer, because the
 * URL may contain a code or state (RFC 9700 4.2.4).
 */
export function redirectResponse(location: string, status: 302 | 303, cookies: string[] = []): Response {
  const headers = new Headers({ Location: location, 'Referrer-Policy': 'no-referrer', ...NO_STORE })
  for (const cookie of cookies) headers.append('Set-Cookie', cookie)
  return new Response(null, { status, headers })
}

/** Lets a public page reach a loopback address in browsers that ask the server instead of the user (Private Network Access). */
export function privateNetworkHeader(preflight: Request): Record<string, string> {
  const isAsked = preflight.headers.get('access-control-request-private-network') === 'true'
  return isAsked ? { 'Access-Control-Allow-Private-Network': 'true' } : {}
}
