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
import { toHostingError } from '../../shared/mcp-client/errors.ts'
import { fetchByProxy } from '../api/fetch-by-proxy.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { withLock } from './lock-file.ts'
import { type Loopback, openLoopback } from './loopback.ts'
import { offerBrowser } from './open-browser.ts'
import { withTokens } from './renew-server-session.ts'
import type { Challenge, RegisteredClient, SignInTarget } from './server-auth.ts'
import {
  readServerSession,
  type ServerClient,
  type ServerSession,
  saveServerSession,
} from './server-store.ts'

/** Typical lifetime of a pending authorization. */
const SIGN_IN_TIMEOUT_MS = 600_000

interface RunningSignIn {
  name: string
  challenge: Challenge
  loopback: Loopback
  client: BrowserClient
}

interface SignInParts {
  name: string
  challenge: Challenge
  client?: RegisteredClient | undefined
}

/**
 * Signs the user in to an MCP server in the browser (authorization code with PKCE, redirect to a loopback port) and saves
 * the tokens. Throws UNAUTHORIZED when the user refuses and TIMEOUT when the user does not return.
 */
export async function signInWithBrowser(
  context: CommandContext,
  place: SignInTarget,
  parts: SignInParts,
): Promise<void> {
  const known = readServerSession(place.file, place.url)
  const { name, challenge, client: given } = parts
  const loopback = await openLoopback(given?.port ?? portOf(known), { isFixed: given?.port !== undefined })
  try {
    const client = new BrowserClient(loopback, clientToUse(loopback, known, given))
    // Keeps scopes that were granted before (MCP authorization, "Step-Up Authorization Flow").
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
  { url, signal }: SignInTarget,
  { name, challenge, loopback, client }: RunningSignIn,
): Promise<ServerSession> {
  const { scope, resourceMetadataUrl } = challenge
  const options = {
    serverUrl: url,
    ...(scope && { scope }),
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
  }
  await auth(client, { ...options, fetchFn: fetchByProxy, forceReauthorization: true })
  const back = loopback.answer(client.state())
  context.output.warn(`${name} requires sign-in. Open ${client.authorizationUrl}`)
  await offerBrowser(context, client.authorizationUrl)
  const answer = await context.output.progress('Waiting for the sign-in', () => inTime(back, signal))
  // The transport verifies the issuer (RFC 9207) of a code or an error.
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    authProvider: client,
    fetch: fetchByProxy,
  })
  await transport.finishAuth(answer)
  return client.session()
}

async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const timer = new AbortController()
  const late = sleep(SIGN_IN_TIMEOUT_MS, undefined, { signal: AbortSignal.any([signal, timer.signal]) }).then(
    () => {
      throw new HostingError('TIMEOUT', 'The sign-in was not completed within ten minutes.')
    },
  )
  return Promise.race([work, late]).finally(() => timer.abort())
}

/** Port of the last sign-in, which may be part of the client's registered URL. */
function portOf(known: ServerSession | undefined): number | undefined {
  const port = Number(URL.parse(known?.client.redirect_uris?.[0] ?? '')?.port)
  return port > 0 ? port : undefined
}

/** The given client, or the previous one if its redirect URL is unchanged. */
function clientToUse(
  { redirectUrl }: Loopback,
  known: ServerSession | undefined,
  given: RegisteredClient | undefined,
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
    next: [{ description: 'Or use a token', command: `mcp tools ${url} --token <token>` }],
  })
}

/** State of one sign-in for the MCP SDK. */
class BrowserClient implements OAuthClientProvider {
  readonly redirectUrl: string
  authorizationUrl = ''
  readonly #state = randomBytes(32).toString('base64url')
  #client: StoredOAuthClientInformation | undefined
  #tokens: StoredOAuthTokens | undefined
  #resource: string | undefined
  #verifier = ''
  #discovery: OAuthDiscoveryState | undefined

  /** Without a client, the SDK registers one. */
  constructor({ redirectUrl }: Loopback, client: StoredOAuthClientInformation | undefined) {
    this.redirectUrl = redirectUrl
    this.#client = client
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'The mcp command line',
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

  /** The sign-in to save, once there are tokens. */
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
