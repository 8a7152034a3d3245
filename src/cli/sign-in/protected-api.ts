import { HostingError } from '../../shared/errors.ts'
import { fetchByProxy } from './authorization-server.ts'

/** How an API wants its users to sign in. */
export interface ProtectedApi {
  /** As tokens name it (RFC 8707). */
  resource: string
  issuer: string
  /** What there is to ask for. */
  scopes: string[]
}

const ANSWER_MS = 30_000

/**
 * What the API at `url` says of sign-in: its 401 leads to metadata of RFC 9728, or they lie where that RFC puts them. Undefined for
 * an API that says nothing: it knows keys alone. Throws UPSTREAM_FAILED for metadata of somebody else, UNAVAILABLE when it is out of
 * reach.
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
  throw new HostingError('UPSTREAM_FAILED', `${url} leads to ${announced}, where no metadata of it are.`)
}

function readMetadata(document: unknown, url: string, isAnnounced: boolean): ProtectedApi | undefined {
  const { resource, authorization_servers, scopes_supported } = (document ?? {}) as Record<string, unknown>
  const issuer = Array.isArray(authorization_servers) ? authorization_servers[0] : undefined
  if (typeof resource !== 'string' || typeof issuer !== 'string' || !URL.canParse(issuer)) {
    if (!isAnnounced) return undefined
    throw new HostingError('UPSTREAM_FAILED', `${url} names no authorization server in its metadata.`)
  }
  // RFC 9728 3.3: else somebody's metadata could have us get tokens for somebody else.
  if (!covers(resource, url))
    throw new HostingError('UPSTREAM_FAILED', `The metadata of ${url} are those of ${resource}.`)
  const scopes = Array.isArray(scopes_supported) ? scopes_supported : []
  return { resource, issuer, scopes: scopes.filter(scope => typeof scope === 'string') }
}

function covers(resource: string, url: string): boolean {
  const [whole, part] = [URL.parse(resource), new URL(url)]
  if (whole?.origin !== part.origin) return false
  return `${part.pathname}/`.startsWith(`${whole.pathname.replace(/\/$/, '')}/`)
}

async function get(address: string, api: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetchByProxy(address, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    })
  } catch (cause) {
    if (signal.aborted) throw cause
    throw new HostingError('UNAVAILABLE', `${api} is out of reach.`, {
      cause,
      next: [{ description: 'See which API is used and why', command: 'mcp context show' }],
    })
  }
}
