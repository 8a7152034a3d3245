import { HostingError } from '../../shared/errors.ts'
import { type ApiSession, readCredentials, saveSession } from '../api/credentials.ts'
import { discover, loadOauth, type Oauth, requestOptions, withIssuerErrors } from './authorization-server.ts'
import { clientAuth } from './device-sign-in.ts'
import { withLock } from './lock-file.ts'
import { toSession } from './session-of.ts'

export interface SessionPlace {
  /** Path of credentials.json. */
  credentials: string
  context: string
  signal: AbortSignal
}

/** Tokens are renewed this long before they expire. */
const RENEWAL_MARGIN_SECONDS = 30

/**
 * Access token of a context's sign-in, renewed when it expires. A lock makes concurrent commands renew it once, because a
 * reused refresh token looks stolen and ends the sign-in (RFC 9700 4.14.2). Throws UNAUTHORIZED when the sign-in expired.
 */
export async function accessToken(place: SessionPlace): Promise<string> {
  const session = read(place)
  if (isFresh(session)) return session.accessToken
  return withLock(`${place.credentials}.lock`, place.signal, async () => {
    const latest = read(place)
    if (isFresh(latest)) return latest.accessToken
    const renewed = await renew(latest, place)
    saveSession(place.credentials, place.context, renewed)
    return renewed.accessToken
  })
}

function read({ credentials, context }: SessionPlace): ApiSession {
  const session = readCredentials(credentials).contexts[context]?.session
  if (session) return session
  throw signInAgain(context)
}

function isFresh({ expiresAt }: ApiSession): boolean {
  return expiresAt === undefined || expiresAt - RENEWAL_MARGIN_SECONDS > Date.now() / 1000
}

async function renew(session: ApiSession, { context, signal }: SessionPlace): Promise<ApiSession> {
  const { issuer, resource, refreshToken } = session
  if (refreshToken === undefined) throw signInAgain(context)
  const [oauth, server] = await Promise.all([loadOauth(), discover(issuer, signal)])
  const client = clientOf(session)
  const options = { ...requestOptions(oauth, issuer, signal), additionalParameters: { resource } }
  return withIssuerErrors(oauth, issuer, async () => {
    const auth = clientAuth(oauth, server, client)
    const response = await oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, options)
    const tokens = await oauth.processRefreshTokenResponse(server, client, response).catch(error => {
      throw isRevoked(oauth, error) ? signInAgain(context, error) : error
    })
    return toSession(tokens, { issuer, resource, client, refreshToken })
  })
}

/**
 * True when the server no longer knows the sign-in or its client. An unknown client may be reported as a challenge (RFC 6749
 * 5.2).
 */
function isRevoked(oauth: Oauth, error: unknown): boolean {
  if (error instanceof oauth.WWWAuthenticateChallengeError) return error.status === 401
  return error instanceof oauth.ResponseBodyError && /^invalid_(grant|client)$/.test(error.error)
}

/** Revokes the refresh token and the access token (RFC 7009). False when the server does not support revocation. */
export async function revokeSession(
  session: Omit<ApiSession, 'resource' | 'expiresAt'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { issuer, refreshToken, accessToken } = session
  const [oauth, server] = await Promise.all([loadOauth(), discover(issuer, signal)])
  if (!server.revocation_endpoint) return false
  const client = clientOf(session)
  const options = requestOptions(oauth, issuer, signal)
  await withIssuerErrors(oauth, issuer, async () => {
    for (const token of [refreshToken, accessToken].filter(one => one !== undefined)) {
      const auth = clientAuth(oauth, server, client)
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(server, client, auth, token, options),
      )
    }
  })
  return true
}

type SessionClient = Pick<ApiSession, 'clientId' | 'clientSecret' | 'clientAuth'>

function clientOf({ clientId, clientSecret, clientAuth }: SessionClient) {
  return {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(clientAuth !== undefined && { token_endpoint_auth_method: clientAuth }),
  }
}

function signInAgain(context: string, cause?: unknown): HostingError {
  return new HostingError('UNAUTHORIZED', `The sign-in of context "${context}" has expired.`, {
    cause,
    next: [
      { description: 'Sign in again', command: `mcp login --context ${context}` },
      { description: 'Non-interactive? Set MCP_API_KEY' },
    ],
  })
}
