import type { OAuthError } from '../oauth-error.ts'

/** RFC 6749 5.1: what carries tokens is kept by no cache. */
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

/** The characters that RFC 6749 5.2 allows in a description: printable ASCII without `"` and `\`. */
export function errorDescription(message: string): string {
  return message.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/g, '?')
}

/**
 * A redirect of a browser. After a POST 303, so that no form body is sent on (RFC 9700 4.12). No referrer: the address left may
 * hold a code or state (RFC 9700 4.2.4).
 */
export function redirectResponse(location: string, status: 302 | 303, cookies: string[] = []): Response {
  const headers = new Headers({ Location: location, 'Referrer-Policy': 'no-referrer', ...NO_STORE })
  for (const cookie of cookies) headers.append('Set-Cookie', cookie)
  return new Response(null, { status, headers })
}
