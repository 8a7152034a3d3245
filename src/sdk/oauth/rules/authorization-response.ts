import { errorDescription } from '../http/responses.ts'
import type { OAuthError } from '../oauth-error.ts'

export interface ResponseTarget {
  redirectUri: string
  state?: string
  issuer: string
}

/** Address of a client with a code for it (RFC 6749 4.1.2, with `iss` as RFC 9207 2 says). */
export function codeResponse(target: ResponseTarget, code: string): string {
  return withParameters(target, { code })
}

/** Address of a client with an error for it (RFC 6749 4.1.2.1). */
export function errorLocation(target: ResponseTarget, error: OAuthError): string {
  return withParameters(target, { error: error.code, error_description: errorDescription(error.message) })
}

/** The redirect URI stays as it was registered, to the letter; a query of its own is kept (RFC 6749 3.1.2). */
function withParameters(
  { redirectUri, state, issuer }: ResponseTarget,
  result: Record<string, string>,
): string {
  const parameters = new URLSearchParams({ ...result, ...(state !== undefined && { state }), iss: issuer })
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`
}
