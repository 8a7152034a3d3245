import { setTimeout as sleep } from 'node:timers/promises'
import type {
  AuthorizationServer,
  Client,
  DeviceAuthorizationResponse,
  TokenEndpointResponse,
} from 'oauth4webapi'
import { HostingError } from '../../shared/errors.ts'
import type { ApiSession } from '../api/credentials.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import {
  discover,
  isUnreachable,
  loadOauth,
  type Oauth,
  requestOptions,
  withIssuerErrors,
} from './authorization-server.ts'
import { offerBrowser } from './open-browser.ts'
import { findSignIn, type ProtectedApi } from './protected-api.ts'
import { toSession } from './session-of.ts'

const GRANT_TYPES = ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token']
/** Client id of this program at servers without registration. */
const CLIENT_ID = 'mcp-hosting'
/** RFC 8628 3.2, 3.5. */
const DEFAULT_INTERVAL_SECONDS = 5
const SLOW_DOWN_SECONDS = 5

/** Delay between polls. */
type Wait = (milliseconds: number) => Promise<void>

const waitOf =
  (signal: AbortSignal): Wait =>
  milliseconds =>
    sleep(milliseconds, undefined, { signal })

interface Flow {
  oauth: Oauth
  server: AuthorizationServer
  client: Client
  api: ProtectedApi
}

/**
 * Signs in to the API at `url` with a code that the user enters in a browser (RFC 8628). Undefined when the API does not support
 * this sign-in. Throws UNAUTHORIZED when the user refuses and TIMEOUT when the code expires.
 */
export async function signInWithDevice(
  context: CommandContext,
  url: string,
  clientId: string | undefined,
  wait: Wait = waitOf(context.signal),
): Promise<ApiSession | undefined> {
  const { signal, output } = context
  const api = await output.progress('Reading the sign-in metadata', () => findSignIn(url, signal))
  const server = api && (await discover(api.issuer, signal))
  if (!server?.device_authorization_endpoint) return undefined
  const oauth = await loadOauth()
  const client = await chooseClient(oauth, server, clientId, signal)
  const flow: Flow = { oauth, server, client, api: api! }
  const codes = await requestCodes(flow, signal)
  await showCode(context, codes)
  const tokens = await output.progress('Waiting for the sign-in', () => poll(flow, codes, { signal, wait }))
  return toSession(tokens, { issuer: server.issuer, resource: api!.resource, client })
}

/** Registers a client if none is given and the server supports it (RFC 7591). */
async function chooseClient(
  oauth: Oauth,
  server: AuthorizationServer,
  clientId: string | undefined,
  signal: AbortSignal,
): Promise<Client> {
  if (clientId !== undefined || !server.registration_endpoint) return { client_id: clientId ?? CLIENT_ID }
  const metadata = {
    client_name: 'The mcp command line',
    grant_types: GRANT_TYPES,
    response_types: [],
    redirect_uris: [],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  }
  const options = requestOptions(oauth, server.issuer, signal)
  return withIssuerErrors(oauth, server.issuer, async () =>
    oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(server, metadata, options),
    ),
  ) as Promise<Client>
}

function requestCodes({ oauth, server, client, api }: Flow, signal: AbortSignal) {
  const scopes = new Set(api.scopes)
  if (server.scopes_supported?.includes('offline_access')) scopes.add('offline_access')
  const parameters = { resource: api.resource, ...(scopes.size > 0 && { scope: [...scopes].join(' ') }) }
  const options = requestOptions(oauth, server.issuer, signal)
  return withIssuerErrors(oauth, server.issuer, async () =>
    oauth.processDeviceAuthorizationResponse(
      server,
      client,
      await oauth.deviceAuthorizationRequest(
        server,
        client,
        clientAuth(oauth, server, client),
        parameters,
        options,
      ),
    ),
  )
}

/** Client authentication: as registered, otherwise a method that the server supports. Defaults to HTTP Basic (RFC 8414 2). */
export function clientAuth(oauth: Oauth, server: AuthorizationServer, client: Client) {
  const { client_secret, token_endpoint_auth_method: method } = client
  if (typeof client_secret !== 'string') return oauth.None()
  const methods = method ? [method] : (server.token_endpoint_auth_methods_supported as string[] | undefined)
  const isHeader = methods?.includes('client_secret_basic') ?? true
  return isHeader ? oauth.ClientSecretBasic(client_secret) : oauth.ClientSecretPost(client_secret)
}

async function showCode(context: CommandContext, codes: DeviceAuthorizationResponse): Promise<void> {
  const { user_code, verification_uri, verification_uri_complete = verification_uri } = codes
  // Printed for scripts too, so that a person who reads the output can sign in.
  context.output.warn(`Open ${verification_uri} in a browser and enter the code ${user_code}`)
  await offerBrowser(context, verification_uri_complete)
}

async function poll(
  flow: Flow,
  { device_code, interval = DEFAULT_INTERVAL_SECONDS, expires_in }: DeviceAuthorizationResponse,
  { signal, wait }: { signal: AbortSignal; wait: Wait },
): Promise<TokenEndpointResponse> {
  const deadline = performance.now() + expires_in * 1000
  let seconds = interval
  while (performance.now() < deadline) {
    await wait(seconds * 1000)
    const answer = await ask(flow, device_code, signal)
    if (typeof answer === 'object') return answer
    if (answer === 'slow_down') seconds += SLOW_DOWN_SECONDS
    // RFC 8628 3.5: back off exponentially while the server is unreachable.
    if (answer === 'unreachable') seconds *= 2
  }
  throw expiredCode()
}

async function ask(
  { oauth, server, client }: Flow,
  deviceCode: string,
  signal: AbortSignal,
): Promise<TokenEndpointResponse | 'authorization_pending' | 'slow_down' | 'unreachable'> {
  const options = requestOptions(oauth, server.issuer, signal)
  try {
    const auth = clientAuth(oauth, server, client)
    const response = await oauth.deviceCodeGrantRequest(server, client, auth, deviceCode, options)
    return await oauth.processDeviceCodeResponse(server, client, response)
  } catch (error) {
    if (isUnreachable(error)) return 'unreachable'
    const code = error instanceof oauth.ResponseBodyError ? error.error : undefined
    if (code === 'authorization_pending' || code === 'slow_down') return code
    if (code === 'expired_token') throw expiredCode(error)
    if (code === 'access_denied')
      throw new HostingError('UNAUTHORIZED', 'The sign-in was refused in the browser.', { cause: error })
    return withIssuerErrors(oauth, server.issuer, () => Promise.reject(error))
  }
}

function expiredCode(cause?: unknown): HostingError {
  return new HostingError('TIMEOUT', 'The code expired before it was entered.', {
    cause,
    next: [{ description: 'Get a new code', command: 'mcp login' }],
  })
}
