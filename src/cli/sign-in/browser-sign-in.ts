import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  auth,
  computeScopeUnion,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  OAuthError,
  RegistrationRejectedError,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { HostingError } from '../../shared/errors.ts'
import { toHostingError } from '../../shared/mcp-errors.ts'
import type { CommandContext } from '../command-context.ts'
import { fetchByProxy } from './authorization-server.ts'
import { withLock } from './lock-file.ts'
import { type Loopback, openLoopback } from './loopback.ts'
import { offerBrowser } from './open-browser.ts'
import { withTokens } from './renew-server-session.ts'
import type { Challenge, GivenClient, ServerPlace } from './server-auth.ts'
import {
  readServerSession,
  type ServerClient,
  type ServerSession,
  saveServerSession,
} from './server-store.ts'

/** As long as authorization servers keep what was begun. */
const PATIENCE_MS = 600_000

interface Running {
  name: string
  challenge: Challenge
  loopback: Loopback
  client: BrowserClient
}

interface SignInParts {
  name: string
  challenge: Challenge
  client?: GivenClient | undefined
}

/**
 * Has the user sign in to an MCP server: authorization code with PKCE, by the browser, back to a port on loopback. What comes is
 * saved. Throws UNAUTHORIZED when the user refuses, TIMEOUT when nobody comes back.
 */
export async function signInByBrowser(
  context: CommandContext,
  place: ServerPlace,
  parts: SignInParts,
): Promise<void> {
  const known = readServerSession(place.file, place.url)
  const { name, challenge, client: given } = parts
  const loopback = await openLoopback(given?.port ?? portOf(known), { isFixed: given?.port !== undefined })
  try {
    const client = new BrowserClient(loopback, clientToUse(loopback, known, given))
    // What was granted before stays granted (MCP authorization, "Step-Up Authorization Flow").
    const scope = challenge.isDenied ? computeScopeUnion(known?.scope, challenge.scope) : challenge.scope
    const session = await signIn(context, place, {
      name,
      challenge: { ...challenge, scope },
      loopback,
      client,
    })
    await withLock(`${place.file}.lock`, place.signal, async () =>
      saveServerSession(place.file, place.url, session),
    )
  } catch (error) {
    if (context.signal.aborted) throw error
    throw refusalOf(error, place.url)
  } finally {
    loopback.close()
  }
}

async function signIn(
  context: CommandContext,
  { url, signal }: ServerPlace,
  { name, challenge, loopback, client }: Running,
): Promise<ServerSession> {
  const { scope, resourceMetadataUrl } = challenge
  const options = {
    serverUrl: url,
    ...(scope && { scope }),
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
  }
  await auth(client, { ...options, fetchFn: fetchByProxy, forceReauthorization: true })
  const back = loopback.answer(client.state())
  context.output.warn(`${name} asks you to sign in: ${client.authorizationUrl}`)
  await offerBrowser(context, client.authorizationUrl)
  const answer = await context.output.progress('Waiting for the sign-in', () => inTime(back, signal))
  // The transport checks who answered (RFC 9207), be it a code or an error.
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    authProvider: client,
    fetch: fetchByProxy,
  })
  await transport.finishAuth(answer)
  return client.session()
}

async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const timer = new AbortController()
  const late = sleep(PATIENCE_MS, undefined, { signal: AbortSignal.any([signal, timer.signal]) }).then(() => {
    throw new HostingError('TIMEOUT', 'Nobody came back from the sign-in within ten minutes.')
  })
  return Promise.race([work, late]).finally(() => timer.abort())
}

/** The port of the last time, which the server may have in the client's addresses. */
function portOf(known: ServerSession | undefined): number | undefined {
  const port = Number(URL.parse(known?.client.redirect_uris?.[0] ?? '')?.port)
  return port > 0 ? port : undefined
}

/** The one that was given; else the one of before, as long as its address is the one of now. */
function clientToUse(
  { redirectUrl }: Loopback,
  known: ServerSession | undefined,
  given: GivenClient | undefined,
): StoredOAuthClientInformation | undefined {
  if (given)
    return { client_id: given.id, ...(given.secret !== undefined && { client_secret: given.secret }) }
  if (!known?.client.redirect_uris?.includes(redirectUrl)) return undefined
  return { ...known.client, issuer: known.issuer }
}

function refusalOf(error: unknown, url: string): HostingError {
  const isRefusal = error instanceof OAuthError || error instanceof RegistrationRejectedError
  if (!isRefusal) return toHostingError(error, url)
  const isDenied = error instanceof OAuthError && error.code === 'access_denied'
  const what = isDenied ? 'was refused' : 'failed'
  return new HostingError('UNAUTHORIZED', `The sign-in to ${url} ${what}: ${error.message}`, {
    cause: error,
    next: [{ description: 'Give a token that you have', command: `mcp tools ${url} --token <token>` }],
  })
}

/** One sign-in, as the MCP SDK wants to be told of it. */
class BrowserClient implements OAuthClientProvider {
  readonly redirectUrl: string
  authorizationUrl = ''
  readonly #state = randomBytes(32).toString('base64url')
  #client: StoredOAuthClientInformation | undefined
  #tokens: StoredOAuthTokens | undefined
  #resource: string | undefined
  #verifier = ''
  #discovery: OAuthDiscoveryState | undefined

  /** Without a client it registers itself. */
  constructor({ redirectUrl }: Loopback, client: StoredOAuthClientInformation | undefined) {
    this.redirectUrl = redirectUrl
    this.#client = client
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'mcp, the command line of mcp-hosting',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    }
  }

  state(): string {
    return this.#state
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url.href
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery
  }

  saveResourceUrl(resource: string): void {
    this.#resource = resource
  }

  /** What is saved once there are tokens. */
  session(): ServerSession {
    const { client_id, client_secret, issuer, ...rest } = this.#client!
    const { token_endpoint_auth_method: method } = rest as Partial<ServerClient>
    const client: ServerClient = {
      client_id,
      ...(client_secret !== undefined && { client_secret }),
      ...(method !== undefined && { token_endpoint_auth_method: method }),
      redirect_uris: [this.redirectUrl],
    }
    const begun: ServerSession = { issuer: issuer!, client }
    return withTokens(
      this.#resource === undefined ? begun : { ...begun, resource: this.#resource },
      this.#tokens!,
    )
  }
}
