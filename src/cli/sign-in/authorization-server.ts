import type { AuthorizationServer, HttpRequestOptions } from 'oauth4webapi'
import { HostingError } from '../../shared/errors.ts'
import { isLoopback } from '../api-client.ts'

/** A server is given this long for each answer. */
const ANSWER_MS = 30_000

/** The library is loaded when somebody signs in, and only then. */
export const loadOauth = () => import('oauth4webapi')
export type Oauth = Awaited<ReturnType<typeof loadOauth>>

// biome-ignore lint/suspicious/noExplicitAny: each request of the library has a method and a body of its own.
type RequestOptions = HttpRequestOptions<any, any>

/** What every request of oauth4webapi needs. http is taken on loopback alone (RFC 8414 2, RFC 9700 2.6). */
export function requestOptions(
  { allowInsecureRequests, customFetch }: Oauth,
  url: string,
  signal: AbortSignal,
): RequestOptions {
  const options: RequestOptions = {
    signal: () => AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    [customFetch]: fetchByProxy,
  }
  return isLoopback(new URL(url).hostname) ? { ...options, [allowInsecureRequests]: true } : options
}

/** Node's own fetch asks the proxy of the environment only when told so before it starts. */
export async function fetchByProxy(url: string | URL, init?: RequestInit): Promise<Response> {
  const { HTTPS_PROXY, https_proxy, HTTP_PROXY, http_proxy } = process.env
  if (isLoopback(new URL(url).hostname) || !(HTTPS_PROXY ?? https_proxy ?? HTTP_PROXY ?? http_proxy))
    return fetch(url, init)
  const { default: undici } = await import('undici')
  const options = { ...init, dispatcher: new undici.EnvHttpProxyAgent() } as Parameters<
    typeof undici.fetch
  >[1]
  return (await undici.fetch(url, options)) as unknown as Response
}

/** Its metadata (RFC 8414, else OpenID Connect Discovery). Throws UNAVAILABLE and UPSTREAM_FAILED. */
export async function discover(issuer: string, signal: AbortSignal): Promise<AuthorizationServer> {
  const oauth = await loadOauth()
  const options = requestOptions(oauth, issuer, signal)
  const url = new URL(issuer)
  return told(oauth, issuer, async () => {
    const first = await oauth.discoveryRequest(url, { ...options, algorithm: 'oauth2' })
    const response =
      first.status === 200 ? first : await oauth.discoveryRequest(url, { ...options, algorithm: 'oidc' })
    return oauth.processDiscoveryResponse(url, response)
  })
}

/** What the library and `fetch` throw, as a sentence about the issuer. */
export async function told<T>(oauth: Oauth, issuer: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw describeFailure(oauth, issuer, error)
  }
}

function describeFailure(oauth: Oauth, issuer: string, cause: unknown): unknown {
  if (cause instanceof HostingError) return cause
  const { name, message } = cause as Error
  if (name === 'AbortError') return cause
  if (name === 'TimeoutError')
    return new HostingError('TIMEOUT', `${issuer} did not answer in time.`, { cause })
  if (isOutOfReach(cause)) return new HostingError('UNAVAILABLE', `${issuer} cannot be reached.`, { cause })
  if (cause instanceof oauth.ResponseBodyError) {
    const description = cause.error_description ? `: ${cause.error_description}` : ''
    return new HostingError('UNAUTHORIZED', `${issuer} refused (${cause.error})${description}.`, { cause })
  }
  return new HostingError(
    'UPSTREAM_FAILED',
    `${issuer} answered with what is no answer of OAuth: ${message}.`,
    {
      cause,
    },
  )
}

/** `fetch` throws a TypeError whose cause is what the system said. */
export function isOutOfReach(error: unknown): boolean {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } }
  return name === 'TypeError' && typeof cause?.code === 'string' && /^(E[A-Z]+|UND_ERR)/.test(cause.code)
}
