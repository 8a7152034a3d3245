import type { AuthProvider } from '@modelcontextprotocol/client'
import { HostingError } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { readServerSession, type ServerSession } from './server-store.ts'

export interface SignInTarget {
  file: string
  url: string
  signal: AbortSignal
}

/** Content of a server's authorization challenge. */
export interface Challenge {
  /** The user is signed in but lacks a scope. */
  isDenied?: boolean
  resourceMetadataUrl?: URL | undefined
  scope?: string | undefined
}

/** A client that was registered by hand, for servers without client registration. */
export interface RegisteredClient {
  id: string
  secret?: string | undefined
  /** Port of the registered loopback URL. Undefined when the server accepts any port (RFC 8252 7.3). */
  port?: number | undefined
}

/** Thrown when no saved sign-in is accepted. */
class SignInRequiredError extends Error {
  readonly challenge: Challenge

  constructor(challenge: Challenge) {
    super('the user must sign in')
    this.challenge = challenge
  }
}

/** Tokens are renewed this long before they expire. */
const RENEWAL_MARGIN_SECONDS = 30

/**
 * Adds the token of an earlier sign-in to requests, and renews it when it expires. Throws SignInRequiredError when the server
 * requires a new sign-in.
 */
function serverAuth(place: SignInTarget): AuthProvider {
  let sent: string | undefined
  return {
    async token() {
      const session = readServerSession(place.file, place.url)
      sent =
        !session || isFresh(session) ? session?.accessToken : await renewedToken(place, session.accessToken)
      return sent
    },
    async onUnauthorized({ response }) {
      const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
      const challenge = extractWWWAuthenticateParams(response)
      // Another command may have renewed the token. A refused token is not sent again.
      if (sent === undefined || (await renewedToken(place, sent)) === undefined)
        throw new SignInRequiredError(challenge)
    },
  }
}

export function isFresh({ accessToken, expiresAt }: ServerSession): boolean {
  if (accessToken === undefined) return false
  return expiresAt === undefined || expiresAt - RENEWAL_MARGIN_SECONDS > Date.now() / 1000
}

/** A token other than `stale`. Undefined when there is none. */
async function renewedToken(place: SignInTarget, stale: string | undefined): Promise<string | undefined> {
  const { renewServerSession } = await import('./renew-server-session.ts')
  return renewServerSession(place, stale)
}

/**
 * Runs `work`. Repeats `work` after a sign-in if the server requires one, and once more if the server then requires another
 * scope. Without a terminal, throws UNAUTHORIZED, or INSUFFICIENT_SCOPE for a user who lacks a scope, with instructions.
 */
export async function withSignIn<T>(
  context: CommandContext,
  target: { url: string; name: string; client?: RegisteredClient | undefined },
  work: (auth: AuthProvider) => Promise<T>,
): Promise<T> {
  const { paths, signal, output } = context
  const place = { file: paths.signIns, url: target.url, signal }
  const attempted = new Set<boolean>()
  for (;;) {
    try {
      return await work(serverAuth(place))
    } catch (error) {
      const challenge = challengeOf(error)
      const { isDenied = false } = challenge ?? {}
      if (!challenge) throw error
      if (attempted.has(isDenied)) throw refusedAgain(target, challenge, error)
      if (!output.interactive) throw terminalRequired(target, challenge, error)
      attempted.add(isDenied)
      const { signInWithBrowser } = await import('./browser-sign-in.ts')
      await signInWithBrowser(context, place, { name: target.name, client: target.client, challenge })
    }
  }
}

/** The server's challenge, if the error or one of its causes is about authorization. */
function challengeOf(error: unknown): Challenge | undefined {
  for (let at = error as Error | undefined; at instanceof Error; at = at.cause as Error | undefined) {
    if (at instanceof SignInRequiredError) return at.challenge
    // The SDK's InsufficientScopeError, recognized without loading its class.
    const { requiredScope, resourceMetadataUrl } = at as Error & {
      requiredScope?: string
      resourceMetadataUrl?: URL
    }
    if ('requiredScope' in at) return { isDenied: true, scope: requiredScope, resourceMetadataUrl }
  }
  return undefined
}

/** Error for a server that still refuses after a sign-in. Another sign-in would not help. */
function refusedAgain(
  { name }: { name: string },
  { isDenied, scope }: Challenge,
  cause: unknown,
): HostingError {
  return isDenied
    ? new HostingError(
        'INSUFFICIENT_SCOPE',
        `${name} still requires the scope "${scope}", which the sign-in did not grant.`,
        { cause },
      )
    : new HostingError('UNAUTHORIZED', `${name} rejected the token of the new sign-in.`, { cause })
}

function terminalRequired(
  { url, name }: { url: string; name: string },
  { isDenied, scope }: Challenge,
  cause: unknown,
): HostingError {
  const message = isDenied
    ? `${name} requires the scope "${scope}", which needs a sign-in at a terminal.`
    : `${name} requires sign-in at a terminal.`
  return new HostingError(isDenied ? 'INSUFFICIENT_SCOPE' : 'UNAUTHORIZED', message, {
    cause,
    next: [
      { description: 'Sign in at a terminal', command: `mcp tools ${name}` },
      { description: 'Or use a token', command: `mcp tools ${url} --token <token>` },
    ],
  })
}
