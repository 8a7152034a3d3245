import type { AuthProvider } from '@modelcontextprotocol/client'
import { HostingError } from '../../shared/errors.ts'
import type { CommandContext } from '../command-context.ts'
import { readServerSession, type ServerSession } from './server-store.ts'

/** Where the sign-in to one server is kept. */
export interface ServerPlace {
  file: string
  /** Of the server, as it was given. */
  url: string
  signal: AbortSignal
}

/** What a server said when it refused. */
export interface Challenge {
  /** The user is known, but may do less than the server wants. */
  isDenied?: boolean
  resourceMetadataUrl?: URL | undefined
  scope?: string | undefined
}

/** A client that somebody registered by hand, where programs cannot register themselves. */
export interface GivenClient {
  id: string
  secret?: string | undefined
  /** Of the address on loopback that was registered; undefined: the server takes any (RFC 8252 7.3). */
  port?: number | undefined
}

/** Thrown where nothing that is saved lets somebody in. */
export class SignInNeeded extends Error {
  readonly challenge: Challenge

  constructor(challenge: Challenge) {
    super('the user must sign in')
    this.challenge = challenge
  }
}

/** A token that ends sooner may end on its way. */
const SPARE_SECONDS = 30

/**
 * Gives requests the token that an earlier sign-in left, renewed when its time is over. For servers without one it costs a look
 * for a file. Throws SignInNeeded when the server wants another one.
 */
export function serverAuth(place: ServerPlace): AuthProvider {
  let sent: string | undefined
  return {
    async token() {
      const session = readServerSession(place.file, place.url)
      sent = !session || isFresh(session) ? session?.accessToken : await renewed(place, session.accessToken)
      return sent
    },
    async onUnauthorized({ response }) {
      const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
      const challenge = extractWWWAuthenticateParams(response)
      // Another command may have renewed it meanwhile; what was refused is not sent again.
      if (sent === undefined || (await renewed(place, sent)) === undefined) throw new SignInNeeded(challenge)
    },
  }
}

export function isFresh({ accessToken, expiresAt }: ServerSession): boolean {
  if (accessToken === undefined) return false
  return expiresAt === undefined || expiresAt - SPARE_SECONDS > Date.now() / 1000
}

/** Another token than `stale`; undefined when there is none to be had. */
async function renewed(place: ServerPlace, stale: string | undefined): Promise<string | undefined> {
  const { renewServerSession } = await import('./renew-server-session.ts')
  return renewServerSession(place, stale)
}

/**
 * Runs `work`, and once more after the user signed in when the server asks for that; and once more when it then asks for another
 * scope. Where nobody can be asked, the error says what to do: UNAUTHORIZED, or INSUFFICIENT_SCOPE for a user who may do less
 * than the server wants.
 */
export async function withSignIn<T>(
  context: CommandContext,
  target: { url: string; name: string; client?: GivenClient | undefined },
  work: (auth: AuthProvider) => Promise<T>,
): Promise<T> {
  const { paths, signal, output } = context
  const place = { file: paths.signIns, url: target.url, signal }
  const asked = new Set<boolean>()
  for (;;) {
    try {
      return await work(serverAuth(place))
    } catch (error) {
      const challenge = challengeOf(error)
      const { isDenied = false } = challenge ?? {}
      if (!challenge) throw error
      if (asked.has(isDenied)) throw refusedAgain(target, challenge, error)
      if (!output.interactive) throw nobodyToAsk(target, challenge, error)
      asked.add(isDenied)
      const { signInByBrowser } = await import('./browser-sign-in.ts')
      await signInByBrowser(context, place, { name: target.name, client: target.client, challenge })
    }
  }
}

/** What the server wants, when the error is about that; errors of the connection have it as their cause. */
function challengeOf(error: unknown): Challenge | undefined {
  for (let at = error as Error | undefined; at instanceof Error; at = at.cause as Error | undefined) {
    if (at instanceof SignInNeeded) return at.challenge
    // The SDK's InsufficientScopeError, whose class would have to be loaded to ask for it.
    const { requiredScope, resourceMetadataUrl } = at as Error & {
      requiredScope?: string
      resourceMetadataUrl?: URL
    }
    if ('requiredScope' in at) return { isDenied: true, scope: requiredScope, resourceMetadataUrl }
  }
  return undefined
}

/** Once more would end the same. */
function refusedAgain(
  { name }: { name: string },
  { isDenied, scope }: Challenge,
  cause: unknown,
): HostingError {
  return isDenied
    ? new HostingError(
        'INSUFFICIENT_SCOPE',
        `${name} still wants the scope "${scope}", which the sign-in did not give.`,
        { cause },
      )
    : new HostingError('UNAUTHORIZED', `${name} refuses the token that its own sign-in just gave.`, { cause })
}

function nobodyToAsk(
  { url, name }: { url: string; name: string },
  { isDenied, scope }: Challenge,
  cause: unknown,
): HostingError {
  const message = isDenied
    ? `${name} wants a token with the scope "${scope}", and nobody can sign in here.`
    : `${name} asks its users to sign in, and nobody can be asked here.`
  return new HostingError(isDenied ? 'INSUFFICIENT_SCOPE' : 'UNAUTHORIZED', message, {
    cause,
    next: [
      { description: 'Sign in at a terminal, once', command: `mcp tools ${name}` },
      { description: 'Or give a token that you have', command: `mcp tools ${url} --token <token>` },
    ],
  })
}
