import type { AuthorizationServer, HttpRequestOptions } from 'oauth4webapi'
import { HostingError } from '../../shared/errors.ts'
import { fetchByProxy } from '../api/fetch-by-proxy.ts'
import { isLoopback } from '../api/transport.ts'

/** Timeout of each request. */
const REQUEST_TIMEOUT_MS = 30_000

/** Loaded only for a sign-in. */
export const loadOauth = () => import('oauth4webapi')
export type Oauth = Awaited<ReturnType<typeof loadOauth>>

// biome-ignore lint/suspicious/noExplicitAny: each request has its own method and body.
type RequestOptions = HttpRequestOptions<any, any>

/** Options of every request of oauth4webapi. Allows http only on loopback (RFC 8414 2, RFC 9700 2.6). */
export function requestOptions(
  { allowInsecureRequests, customFetch }: Oauth,
  url: string,
  signal: AbortSignal,
): RequestOptions {
  const options: RequestOptions = {
    signal: () => AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    [customFetch]: fetchByProxy,
  }
  return isLoopback(new URL(url).hostname) ? { ...options, [allowInsecureRequests]: true } : options
}

/** Metadata of the server (RFC 8414 or OpenID Connect Discovery). Throws TIMEOUT, UNAVAILABLE or UPSTREAM_FAILED. */
export async function discover(issuer: string, signal: AbortSignal): Promise<AuthorizationServer> {
  const oauth = await loadOauth()
  const options = requestOptions(oauth, issuer, signal)
  const url = new URL(issuer)
  return withIssuerErrors(oauth, issuer, async () => {
    const first = await oauth.discoveryRequest(url, { ...options, algorithm: 'oauth2' })
    const response =
      first.status === 200 ? first : await oauth.discoveryRequest(url, { ...options, algorithm: 'oidc' })
    return oauth.processDiscoveryResponse(url, response)
  })
}

/** Turns errors from the library and `fetch` into messages about the issuer. */
export async function withIssuerErrors<T>(oauth: Oauth, issuer: string, work: () => Promise<T>): Promise<T> {
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
  if (name === 'TimeoutError') return new HostingError('TIMEOUT', `${issuer} timed out.`, { cause })
  if (isUnreachable(cause)) return new HostingError('UNAVAILABLE', `${issuer} is unreachable.`, { cause })
  if (cause instanceof oauth.ResponseBodyError) {
    const description = cause.error_description ? `: ${cause.error_description}` : ''
    return new HostingError('UNAUTHORIZED', `${issuer} refused the request (${cause.error})${description}.`, {
      cause,
    })
  }
  return new HostingError('UPSTREAM_FAILED', `${issuer} sent an invalid OAuth response: ${message}.`, {
    cause,
  })
}

/** `fetch` throws a TypeError whose cause is the system error. */
export function isUnreachable(error: unknown): boolean {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } }
  return name === 'TypeError' && typeof cause?.code === 'string' && /^(E[A-Z]+|UND_ERR)/.test(cause.code)
}
