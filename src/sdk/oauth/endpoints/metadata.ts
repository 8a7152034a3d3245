import type { Component } from '../component.ts'
import { jsonResponse } from '../http/responses.ts'

const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post']

/** Authorization server metadata (RFC 8414 2), without disabled endpoints. */
export async function metadata(component: Component): Promise<Response> {
  const document = describeServer(component)
  return jsonResponse(document, { headers: { 'Cache-Control': 'public, max-age=300' } })
}

function describeServer({ issuer, endpoints, offeredScopes, refreshTokenTTL, clients }: Component) {
  return {
    issuer,
    authorization_endpoint: endpoints.authorize,
    token_endpoint: endpoints.token,
    ...(endpoints.register && { registration_endpoint: endpoints.register }),
    scopes_supported: offeredScopes,
    response_types_supported: ['code'],
    grant_types_supported: [
      'authorization_code',
      ...(refreshTokenTTL === undefined ? [] : ['refresh_token']),
    ],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    // Required for servers that send `iss` (RFC 9207 3).
    authorization_response_iss_parameter_supported: true,
    ...(clients.readsMetadataDocuments && { client_id_metadata_document_supported: true }),
    ...(endpoints.jwks && { jwks_uri: endpoints.jwks }),
    ...(endpoints.revoke && {
      revocation_endpoint: endpoints.revoke,
      revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    }),
    ...(endpoints.introspect && {
      introspection_endpoint: endpoints.introspect,
      introspection_endpoint_auth_methods_supported: AUTH_METHODS.slice(1),
    }),
  }
}
