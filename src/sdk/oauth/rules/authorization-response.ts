import { errorDescription } from '../http/responses.ts'
import type { OAuthError } from '../oauth-error.ts'

export interface ResponseTarget {
  redirectUri: string
  state?: string
  issuer: string
}

/** Redirect URI with a code (RFC 6749 4.1.2) and `iss` (RFC 9207 2). */
export function codeResponse(target: ResponseTarget, code: string): string {
  return withParameters(target, { code })
}

/** Redirect URI with an error (RFC 6749 4.1.2.1). */
export function errorLocation(target: ResponseTarget, error: OAuthError): string {
  return withParameters(target, { error: error.code, error_description: errorDescription(error.message) })
}

/** Appends parameters and leaves the rest of the URI unchanged, including its query (RFC 6749 3.1.2). */
function withParameters(
  { redirectUri, state, issuer }: ResponseTarget,
  result: Record<string, string>,
): string {
  const parameters = new URLSearchParams({ ...result, ...(state !== undefined && { state }), iss: issuer })
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`
}
