import type { Component } from '../component.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Parameters } from '../rules/parameters.ts'
import { equalSecrets, hashToken } from '../secrets.ts'
import type { Client } from '../storage/records.ts'

interface Credentials {
  clientId: string
  secret: string | undefined
  fromHeader: boolean
}

/**
 * Authenticates the client of a request to the token, revocation or introspection endpoint (RFC 6749 2.3): by its secret in the
 * `Authorization` header or the body, or by its id alone when it has no secret. Throws OAuthError.
 */
export async function authenticateClient(
  component: Component,
  request: Request,
  parameters: Parameters,
): Promise<Client> {
  const credentials = readCredentials(request, parameters)
  const client = await component.clients.find(credentials.clientId)
  if (client && isAuthentic(client, credentials)) return client
  throw invalidClient('The client is unknown, or its secret is wrong.', credentials.fromHeader)
}

function readCredentials(request: Request, parameters: Parameters): Credentials {
  const header = request.headers.get('authorization')
  const clientId = parameters.get('client_id')
  const secret = parameters.get('client_secret')
  if (header === null) {
    if (clientId !== undefined) return { clientId, secret, fromHeader: false }
    throw invalidClient('The request has no client_id and no HTTP Basic credentials.', false)
  }
  const credentials = parseBasic(header)
  if (secret !== undefined || (clientId !== undefined && clientId !== credentials.clientId)) {
    throw new OAuthError('invalid_request', 'The client used more than one authentication method.')
  }
  return credentials
}

/** HTTP Basic with two form-encoded parts (RFC 6749 2.3.1). */
function parseBasic(header: string): Credentials {
  const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1]
  const [clientId, ...secret] = Buffer.from(encoded ?? '', 'base64')
    .toString()
    .split(':')
  if (!clientId || secret.length === 0)
    throw invalidClient('The Authorization header is not HTTP Basic.', true)
  return { clientId: decode(clientId), secret: decode(secret.join(':')), fromHeader: true }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text // some clients do not encode their credentials
  }
}

function isAuthentic(client: Client, { secret }: Credentials): boolean {
  if (client.secretHash === undefined) return secret === undefined || secret === ''
  return secret !== undefined && equalSecrets(hashToken(secret), client.secretHash)
}

function invalidClient(description: string, fromHeader: boolean): OAuthError {
  const headers: Record<string, string> = fromHeader ? { 'WWW-Authenticate': 'Basic realm="oauth"' } : {}
  return new OAuthError('invalid_client', description, { headers })
}
