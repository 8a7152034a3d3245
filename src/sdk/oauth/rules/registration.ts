import { OAuthError } from '../oauth-error.ts'
import type { ClientMetadata } from '../storage/records.ts'
import { redirectUriProblem } from './redirect-uri.ts'

const MAX_REDIRECT_URIS = 20
const MAX_NAME_LENGTH = 200
const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const

export type Registration = Omit<ClientMetadata, 'client_id' | 'scope'>

/**
 * Parses the supported client metadata (RFC 7591 2) of a registration or metadata document, with the defaults of the RFC. Throws
 * OAuthError `invalid_redirect_uri` or `invalid_client_metadata` (RFC 7591 3.2.2).
 */
export function readRegistration(
  body: Record<string, unknown>,
  options: { refreshTokens: boolean },
): Registration {
  const grantTypes = readStrings(body, 'grant_types') ?? ['authorization_code']
  if (!grantTypes.includes('authorization_code'))
    throw invalidMetadata('grant_types must include "authorization_code".')
  const responseTypes = readStrings(body, 'response_types') ?? ['code']
  if (!responseTypes.includes('code')) throw invalidMetadata('response_types must include "code".')
  const isRefreshing = options.refreshTokens && grantTypes.includes('refresh_token')
  return {
    ...optionalMember('client_name', readName(body)),
    redirect_uris: readRedirectUris(body),
    grant_types: ['authorization_code', ...(isRefreshing ? ['refresh_token'] : [])],
    response_types: ['code'],
    token_endpoint_auth_method:
      readOneOf(body, 'token_endpoint_auth_method', AUTH_METHODS) ?? 'client_secret_basic',
    ...optionalMember('application_type', readOneOf(body, 'application_type', ['native', 'web'] as const)),
    ...optionalMember('client_uri', readWebUrl(body, 'client_uri')),
  }
}

function readRedirectUris(body: Record<string, unknown>): string[] {
  const uris = readStrings(body, 'redirect_uris') ?? []
  if (uris.length === 0)
    throw new OAuthError('invalid_redirect_uri', 'redirect_uris must be an array with at least one URI.')
  if (uris.length > MAX_REDIRECT_URIS) {
    throw new OAuthError(
      'invalid_redirect_uri',
      `The maximum number of redirect_uris is ${MAX_REDIRECT_URIS}.`,
    )
  }
  for (const uri of uris) {
    const problem = redirectUriProblem(uri)
    if (problem)
      throw new OAuthError('invalid_redirect_uri', `The redirect URI "${uri.slice(0, 200)}" ${problem}.`)
  }
  return [...new Set(uris)]
}

function readStrings(body: Record<string, unknown>, name: string): string[] | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every(entry => typeof entry === 'string')) return value
  throw invalidMetadata(`${name} must be an array of strings.`)
}

function readText(body: Record<string, unknown>, name: string, maxLength: number): string | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  if (typeof value === 'string' && value.length <= maxLength) return value
  throw invalidMetadata(`${name} must be a string of at most ${maxLength} characters.`)
}

function readOneOf<T extends string>(
  body: Record<string, unknown>,
  name: string,
  values: readonly T[],
): T | undefined {
  const value = body[name]
  if (value === undefined || values.includes(value as T)) return value as T | undefined
  throw invalidMetadata(`${name} must be one of: ${values.join(', ')}.`)
}

/** Rejects control characters and characters that change the direction of text, because users decide by the name. */
function readName(body: Record<string, unknown>): string | undefined {
  const name = readText(body, 'client_name', MAX_NAME_LENGTH)
  if (name === undefined || !/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(name)) return name
  throw invalidMetadata('client_name contains a control character or a text direction mark.')
}

function readWebUrl(body: Record<string, unknown>, name: string): string | undefined {
  const value = readText(body, name, 2048)
  if (value === undefined || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))) return value
  throw invalidMetadata(`${name} must be an http(s) URL.`)
}

function optionalMember<K extends string, V>(name: K, value: V | undefined): { [name in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [name in K]: V })
}

function invalidMetadata(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description)
}
