import { OAuthError } from '../oauth-error.ts'
import type { AuthorizationRequest, Client } from '../storage/records.ts'
import type { Parameters } from './parameters.ts'
import { isCodeChallenge } from './pkce.ts'
import { isLoopbackRedirect, isRegisteredRedirect, redirectUriProblem } from './redirect-uri.ts'
import { grantResources, type ResourcePolicy } from './resource.ts'
import { grantScope, parseScope } from './scope.ts'

const MAX_STATE_LENGTH = 8192

/**
 * Redirect URI of a request, if it belongs to the client. Errors are shown to the user instead of being sent by redirect (RFC
 * 6749 4.1.2.1), so that we are not an open redirector.
 */
export function requestedRedirect(parameters: Parameters, client: Client): string {
  const requested = parameters.get('redirect_uri')
  if (requested === undefined && client.redirect_uris.length === 1) return client.redirect_uris[0]!
  if (requested === undefined) throw new OAuthError('invalid_request', 'The request has no redirect_uri.')
  if (isRegisteredRedirect(client.redirect_uris, requested)) return requested
  if (client.anyLoopback && redirectUriProblem(requested) === undefined && isLoopbackRedirect(requested))
    return requested
  throw new OAuthError('invalid_request', 'The redirect_uri is not registered for the application.')
}

export interface RequestPolicy {
  offeredScopes: readonly string[]
  resourcePolicy: ResourcePolicy
}

/** Validates the rest of an authorization request (OAuth 2.1 4.1.1). Errors may be sent to the client by redirect. */
export function validateRequest(
  parameters: Parameters,
  client: Client,
  redirectUri: string,
  policy: RequestPolicy,
): AuthorizationRequest {
  requireCodeFlow(parameters)
  const state = parameters.get('state')
  if (state !== undefined && state.length > MAX_STATE_LENGTH) {
    throw new OAuthError('invalid_request', `The state is longer than ${MAX_STATE_LENGTH} characters.`)
  }
  const offered = client.scope === undefined ? policy.offeredScopes : parseScope(client.scope)
  return {
    clientId: client.client_id,
    redirectUri,
    ...(state !== undefined && { state }),
    codeChallenge: requiredChallenge(parameters),
    scope: grantScope(parseScope(parameters.get('scope')), offered),
    resources: grantResources(parameters.all('resource'), policy.resourcePolicy),
    ...(parameters.get('provider') !== undefined && { providerId: parameters.get('provider') }),
  }
}

function requireCodeFlow(parameters: Parameters): void {
  if (parameters.get('request') ?? parameters.get('request_uri')) {
    throw new OAuthError('request_not_supported', 'Request objects are not supported.')
  }
  if (parameters.get('response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'The response_type must be "code".')
  }
  if ((parameters.get('response_mode') ?? 'query') !== 'query') {
    throw new OAuthError('invalid_request', 'The response_mode must be "query".')
  }
  if (parameters.get('prompt') === 'none') {
    throw new OAuthError(
      'interaction_required',
      'The prompt must not be "none", because a user must sign in.',
    )
  }
}

/** Requires PKCE with S256 (OAuth 2.1 4.1.1, 7.5.2). The default method is "plain" (RFC 7636 4.3). */
function requiredChallenge(parameters: Parameters): string {
  const challenge = parameters.get('code_challenge')
  if (challenge === undefined)
    throw new OAuthError('invalid_request', 'The request has no code_challenge. PKCE is required.')
  if (parameters.get('code_challenge_method') !== 'S256') {
    throw new OAuthError('invalid_request', 'The code_challenge_method must be "S256".')
  }
  if (isCodeChallenge(challenge)) return challenge
  throw new OAuthError('invalid_request', 'The code_challenge must be 43 characters of base64url.')
}
