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

/** An answer of the identity provider that is not to be believed, or none. Its message holds no token. */
export class SignInError extends Error {
  /** `access_denied` and the like, when the provider itself refused. */
  readonly upstreamCode: string | undefined

  constructor(message: string, options: { upstreamCode?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'SignInError'
    this.upstreamCode = options.upstreamCode
  }
}

/**
 * Exchanges what came back with the user for tokens, and says who the user is. Checked before the code is sent anywhere: `iss`
 * (RFC 9207), so that one provider's code never goes to another (RFC 9700 4.4); after it: the ID token's signature, issuer,
 * audience, times and nonce.
 */
export async function finishSignIn(
  upstream: Upstream,
  callback: URLSearchParams,
  start: SignInStart,
): Promise<UpstreamAccount> {
  try {
    const server = await upstream.metadata()
    // The state was looked up by its hash and the browser's cookie: it is compared already.
    const answer = withKnownIssuer(upstream, server, callback)
    const checked = validateAuthResponse(server, upstream.client, answer, skipStateCheck)
    const tokens = await exchangeCode(upstream, server, checked, start)
    return await identify(upstream, server, tokens)
  } catch (cause) {
    throw describeFailure(upstream, cause)
  }
}

/** Of a provider whose issuer is not configured, any `iss` on the host of its authorization endpoint is its own. */
function withKnownIssuer(
  { provider }: Upstream,
  { issuer }: AuthorizationServer,
  callback: URLSearchParams,
): URLSearchParams {
  const told = callback.get('iss')
  if (provider.issuer || told === null || !URL.canParse(told) || new URL(told).origin !== issuer)
    return callback
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

/** Of a provider without an issuer no ID token can be checked, so none is looked at: plain OAuth 2.0. */
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
    // The subject must be the ID token's (OpenID Connect Core 5.3.2).
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
    throw new SignInError(`${provider.name} answered ${response.status} for the user's information.`)
  return JSON.parse(await readText(response, MAX_USER_INFO_BYTES))
}

function subjectOf({ provider }: Upstream, userInfo: UserInfo): string {
  const claim = provider.subjectClaim ? userInfo[provider.subjectClaim] : (userInfo.sub ?? userInfo.id)
  if (typeof claim === 'string' || typeof claim === 'number') return `${provider.id}|${claim}`
  // A provider that tells nobody's name: each sign-in is a user of its own.
  if (!provider.userInfoEndpoint && !provider.issuer) return `${provider.id}|${crypto.randomUUID()}`
  throw new SignInError(`${provider.name} did not say who signed in.`)
}

function describeFailure({ provider }: Upstream, cause: unknown): SignInError {
  if (cause instanceof SignInError) return cause
  const { error } = cause as { error?: unknown }
  const upstreamCode = typeof error === 'string' ? error : undefined
  return new SignInError(`Signing in with ${provider.name} failed.`, { upstreamCode, cause })
}
