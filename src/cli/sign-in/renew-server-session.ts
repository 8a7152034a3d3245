import {
  discoverAuthorizationServerMetadata,
  OAuthError,
  refreshAuthorization,
} from '@modelcontextprotocol/client'
import { fetchByProxy } from '../api/fetch-by-proxy.ts'
import { withLock } from './lock-file.ts'
import { isFresh, type SignInTarget } from './server-auth.ts'
import { readServerSession, type ServerSession, saveServerSession } from './server-store.ts'

/**
 * An access token other than `stale`, which expired or was refused. Undefined when the user must sign in. A lock makes
 * concurrent commands renew once, because a reused refresh token looks stolen and ends the sign-in (RFC 9700 4.14.2).
 */
export function renewServerSession(
  place: SignInTarget,
  stale: string | undefined,
): Promise<string | undefined> {
  const { file, url, signal } = place
  return withLock(`${file}.lock`, signal, async () => {
    const session = readServerSession(file, url)
    if (!session) return undefined
    if (session.accessToken !== stale && isFresh(session)) return session.accessToken
    const next = await renew(session)
    saveServerSession(file, url, next)
    return next?.accessToken
  })
}

/**
 * The session with new tokens, or without any when the sign-in expired, so that its client need not be registered again.
 * Undefined when the server no longer knows the client.
 */
async function renew(session: ServerSession): Promise<ServerSession | undefined> {
  const { issuer, client, refreshToken, resource } = session
  if (refreshToken === undefined) return withoutTokens(session)
  const fetchFn = fetchByProxy
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn })
  try {
    const tokens = await refreshAuthorization(issuer, {
      ...(metadata && { metadata }),
      clientInformation: client,
      refreshToken,
      ...(resource !== undefined && { resource: new URL(resource) }),
      fetchFn,
    })
    return withTokens(session, tokens)
  } catch (error) {
    const code = error instanceof OAuthError ? error.code : undefined
    if (code === 'invalid_grant') return withoutTokens(session)
    if (code === 'invalid_client') return undefined
    // The next attempt may succeed.
    throw error
  }
}

interface Tokens {
  access_token: string
  expires_in?: number | undefined
  refresh_token?: string | undefined
  scope?: string | undefined
}

/** Keeps the refresh token and scope if the response has no new ones (RFC 6749 5.1, 6). */
export function withTokens(session: ServerSession, tokens: Tokens): ServerSession {
  const { expires_in, refresh_token = session.refreshToken, scope = session.scope } = tokens
  return {
    ...withoutTokens(session),
    accessToken: tokens.access_token,
    ...(expires_in !== undefined && { expiresAt: Math.floor(Date.now() / 1000) + expires_in }),
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(scope !== undefined && { scope }),
  }
}

function withoutTokens({ issuer, client, resource }: ServerSession): ServerSession {
  return { issuer, client, ...(resource !== undefined && { resource }) }
}
