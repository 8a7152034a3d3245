import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  expectNoNonce,
  getValidatedIdTokenClaims,
  nopkce,
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  protectedResourceRequest,
  skipStateCheck,
  type TokenEndpointResponse,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi'
import { readText } from '../http/request-body.ts'
import type { UpstreamAccount, UpstreamTokens, UserInfo } from './provider.ts'
import { requestOptions, type SignInStart, type Upstream } from './upstream.ts'

const MAX_USER_INFO_BYTES = 64 * 1024

/** Invalid or missing response from the identity provider. The message contains no token. */
export class SignInError extends Error {
  /** Error code of the provider, for example `access_denied`. */
  readonly upstreamCode: string | undefined

  constructor(message: string, options: { upstreamCode?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'SignInError'
    this.upstreamCode = options.upstreamCode
  }
}

/**
 * Exchanges the code of a callback for tokens and identifies the user. Checks `iss` (RFC 9207) before it sends the code, so that
 * a code is never sent to another provider (RFC 9700 4.4). Then checks the ID token's signature, issuer, audience, times and
 * nonce. Throws SignInError.
 */
export async function finishSignIn(
  upstream: Upstream,
  callback: URLSearchParams,
  start: SignInStart,
): Promise<UpstreamAccount> {
  try {
    const server = await upstream.metadata()
    // The caller checked the state by its hash and the browser's cookie.
    const answer = withKnownIssuer(upstream, server, callback)
    const checked = validateAuthResponse(server, upstream.client, answer, skipStateCheck)
    const tokens = await exchangeCode(upstream, server, checked, start)
    return await identify(upstream, server, tokens)
  } catch (cause) {
    throw describeFailure(upstream, cause)
  }
}

/** For a provider without a configured issuer, accepts any `iss` on the origin of its authorization endpoint. */
function withKnownIssuer(
  { provider }: Upstream,
  { issuer }: AuthorizationServer,
  callback: URLSearchParams,
): URLSearchParams {
  const iss = callback.get('iss')
  if (provider.issuer || iss === null || !URL.canParse(iss) || new URL(iss).origin !== issuer) return callback
  const answer = new URLSearchParams(callback)
  answer.delete('iss')
  return answer
}

async function exchangeCode(
  upstream: Upstream,
  server: AuthorizationServer,
  callback: URLSearchParams,
  { redirectUri, codeVerifier, nonce }: SignInStart,
): Promise<TokenEndpointResponse> {
  const { client, clientAuth, provider } = upstream
  const options = requestOptions(server.token_endpoint)
  const verifier = provider.supportsPkce === false ? nopkce : codeVerifier
  const response = await authorizationCodeGrantRequest(
    server,
    client,
    clientAuth,
    callback,
    redirectUri,
    verifier,
    options,
  )
  if (!provider.issuer) return processPlainResponse(server, upstream, response)
  const tokens = await processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  await validateApplicationLevelSignature(server, response, requestOptions(server.jwks_uri))
  return tokens
}

/** Plain OAuth 2.0. Ignores an ID token, because it cannot be verified without an issuer. */
async function processPlainResponse(
  server: AuthorizationServer,
  { client }: Upstream,
  response: Response,
): Promise<TokenEndpointResponse> {
  const { id_token: _, ...body } = (await response.json()) as Record<string, unknown>
  const plain = new Response(JSON.stringify(body), { status: response.status, headers: response.headers })
  return processAuthorizationCodeResponse(server, client, plain, { expectedNonce: expectNoNonce })
}

async function identify(
  upstream: Upstream,
  server: AuthorizationServer,
  tokens: TokenEndpointResponse,
): Promise<UpstreamAccount> {
  const claims = getValidatedIdTokenClaims(tokens)
  const userInfo: UserInfo = { ...claims, ...(await readUserInfo(upstream, server, tokens, claims?.sub)) }
  return { subject: subjectOf(upstream, userInfo), userInfo, tokens: tokens as unknown as UpstreamTokens }
}

async function readUserInfo(
  { client, provider }: Upstream,
  server: AuthorizationServer,
  { access_token }: TokenEndpointResponse,
  subject: string | undefined,
): Promise<UserInfo> {
  const endpoint = server.userinfo_endpoint
  if (!endpoint) return {}
  const options = requestOptions(endpoint)
  if (subject !== undefined) {
    // The subject must match the ID token's (OpenID Connect Core 5.3.2).
    return processUserInfoResponse(
      server,
      client,
      subject,
      await userInfoRequest(server, client, access_token, options),
    )
  }
  const headers = new Headers({ Accept: 'application/json', 'User-Agent': 'mcp-hosting' })
  const response = await protectedResourceRequest(
    access_token,
    'GET',
    new URL(endpoint),
    headers,
    null,
    options,
  )
  if (!response.ok)
    throw new SignInError(`${provider.name} answered the user info request with status ${response.status}.`)
  return JSON.parse(await readText(response, MAX_USER_INFO_BYTES))
}

function subjectOf({ provider }: Upstream, userInfo: UserInfo): string {
  const claim = provider.subjectClaim ? userInfo[provider.subjectClaim] : (userInfo.sub ?? userInfo.id)
  if (typeof claim === 'string' || typeof claim === 'number') return `${provider.id}|${claim}`
  // With neither ID tokens nor user info, each sign-in counts as a new user.
  if (!provider.userInfoEndpoint && !provider.issuer) return `${provider.id}|${crypto.randomUUID()}`
  throw new SignInError(`${provider.name} did not return the user's id.`)
}

function describeFailure({ provider }: Upstream, cause: unknown): SignInError {
  if (cause instanceof SignInError) return cause
  const { error } = cause as { error?: unknown }
  const upstreamCode = typeof error === 'string' ? error : undefined
  return new SignInError(`Signing in with ${provider.name} failed.`, { upstreamCode, cause })
}
