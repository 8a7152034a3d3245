import { OAuthError } from '../oauth-error.ts'

/**
 * Canonical form of a resource identifier (RFC 8707 2, MCP specification): an absolute URI without a fragment or default port,
 * scheme and host in lower case, no slash after a bare host. Undefined when it is not an http(s) URL, or has a
 * fragment or user name.
 */
export function canonicalResource(resource: string): string | undefined {
  if (!URL.canParse(resource) || resource.includes('#')) return undefined
  const url = new URL(resource)
  if (url.username || url.password || !/^https?:$/.test(url.protocol)) return undefined
  return url.pathname === '/' && url.search === '' ? url.origin : url.href
}

export interface ResourcePolicy {
  /** Resources that tokens may be issued for. Empty: all on the issuer's origin. */
  allowed: readonly string[]
  issuer: string
}

/** Audience of a new grant: the requested resources, or the default (RFC 8707 2.1). */
export function grantResources(requested: readonly string[], policy: ResourcePolicy): string[] {
  if (requested.length === 0) return [policy.allowed[0] ?? canonicalResource(policy.issuer)!]
  return [...new Set(requested.map(resource => allowedResource(resource, policy)))]
}

/** Audience of a token, a subset of the grant's resources (RFC 8707 2.2). */
export function narrowResources(requested: readonly string[], granted: readonly string[]): string[] {
  if (requested.length === 0) return [...granted]
  return [...new Set(requested.map(resource => grantedResource(resource, granted)))]
}

function allowedResource(resource: string, { allowed, issuer }: ResourcePolicy): string {
  const canonical = canonicalResource(resource)
  const isAllowed =
    canonical !== undefined &&
    (allowed.length === 0
      ? new URL(canonical).origin === new URL(issuer).origin
      : allowed.includes(canonical))
  if (isAllowed) return canonical
  throw new OAuthError(
    'invalid_target',
    `Tokens cannot be issued for the resource "${resource.slice(0, 200)}".`,
  )
}

function grantedResource(resource: string, granted: readonly string[]): string {
  const canonical = canonicalResource(resource)
  if (canonical !== undefined && granted.includes(canonical)) return canonical
  throw new OAuthError('invalid_target', `The grant is not for the resource "${resource.slice(0, 200)}".`)
}
