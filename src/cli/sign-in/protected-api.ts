import { HostingError } from '../../shared/errors.ts'
import { fetchByProxy } from '../api/fetch-by-proxy.ts'

export interface ProtectedApi {
  /** Identifier of the API in tokens (RFC 8707). */
  resource: string
  issuer: string
  /** Supported scopes. */
  scopes: string[]
}

const REQUEST_TIMEOUT_MS = 30_000

/**
 * Sign-in metadata of the API at `url`, from its 401 response or the well-known path (RFC 9728). Undefined for an API that only
 * supports keys. Throws UPSTREAM_FAILED when announced metadata is missing or incomplete, and for metadata of another resource.
 * Throws UNAVAILABLE when the API is unreachable.
 */
export async function findSignIn(url: string, signal: AbortSignal): Promise<ProtectedApi | undefined> {
  const refused = await get(`${url}/api/deployments/api-key/info`, url, signal)
  const announced = /\bresource_metadata="([^"]+)"/i.exec(refused.headers.get('www-authenticate') ?? '')?.[1]
  await refused.body?.cancel()
  const { origin, pathname } = new URL(url)
  const usual = `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`
  const answer = await get(announced ?? usual, url, signal)
  const document: unknown = answer.ok ? await answer.json().catch(() => undefined) : undefined
  if (document !== undefined) return readMetadata(document, url, announced !== undefined)
  if (announced === undefined) return undefined
  throw new HostingError(
    'UPSTREAM_FAILED',
    `${url} refers to ${announced}, which returned no sign-in metadata.`,
  )
}

function readMetadata(document: unknown, url: string, isAnnounced: boolean): ProtectedApi | undefined {
  const { resource, authorization_servers, scopes_supported } = (document ?? {}) as Record<string, unknown>
  const issuer = Array.isArray(authorization_servers) ? authorization_servers[0] : undefined
  if (typeof resource !== 'string' || typeof issuer !== 'string' || !URL.canParse(issuer)) {
    if (!isAnnounced) return undefined
    throw new HostingError('UPSTREAM_FAILED', `The metadata of ${url} does not name an authorization server.`)
  }
  // RFC 9728 3.3: otherwise a malicious API could obtain tokens for another one.
  if (!coversUrl(resource, url))
    throw new HostingError('UPSTREAM_FAILED', `The metadata of ${url} belongs to ${resource}.`)
  const scopes = Array.isArray(scopes_supported) ? scopes_supported : []
  return { resource, issuer, scopes: scopes.filter(scope => typeof scope === 'string') }
}

function coversUrl(resource: string, url: string): boolean {
  const [whole, part] = [URL.parse(resource), new URL(url)]
  if (whole?.origin !== part.origin) return false
  return `${part.pathname}/`.startsWith(`${whole.pathname.replace(/\/$/, '')}/`)
}

async function get(target: string, api: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetchByProxy(target, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    })
  } catch (cause) {
    if (signal.aborted) throw cause
    throw new HostingError('UNAVAILABLE', `${api} is unreachable.`, {
      cause,
      next: [{ description: 'Show the API in use', command: 'mcp context show' }],
    })
  }
}
