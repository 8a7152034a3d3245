import { bearerChallenge } from '../../auth-error.ts'
import type { OAuthError } from '../oauth-error.ts'

export interface ChallengeParts {
  metadataUrl: string
  scopes: readonly string[]
}

/**
 * Response with the status of `error` (401 by default), the challenge of RFC 6750 3 and the URL of the metadata (RFC 9728 5.1).
 * Undefined `error`: the request has no token (RFC 6750 3.1).
 */
export function challengeResponse({ metadataUrl, scopes }: ChallengeParts, error?: OAuthError): Response {
  const challenge = bearerChallenge({
    resource_metadata: metadataUrl,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(error && { error: error.code, error_description: error.message }),
  })
  const body = { error: error?.code ?? 'unauthorized', error_description: error?.message ?? 'Sign in first.' }
  return new Response(JSON.stringify(body), {
    status: error?.status ?? 401,
    headers: {
      'Content-Type': 'application/json',
      'WWW-Authenticate': challenge,
      'Cache-Control': 'no-store',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'WWW-Authenticate',
    },
  })
}
