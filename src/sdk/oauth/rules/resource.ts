import { OAuthError } from '../oauth-error.ts'

/**
 * One spelling for a resource identifier (RFC 8707 2, and the canonical URI of the MCP specification): an absolute URI without a
 * fragment, scheme and host in lower case, no default port, no slash after a bare host. Undefined when it is none.
 */
export function canonicalResource(resource: string): string | undefined {
  if (!URL.canParse(resource) || resource.includes('#')) return undefined
  const url = new URL(resource)
  if (url.username || url.password || !/^https?:$/.test(url.protocol)) return undefined
  return url.pathname === '/' && url.search === '' ? url.origin : url.href
}

export interface ResourcePolicy {
  /** Resources that tokens may be issued for. Empty: whatever lies on the issuer's own origin. */
  allowed: readonly string[]
  issuer: string
}

/** The audience of a new grant: what was asked for, or the default (RFC 8707 2.1). */
export function grantResources(requested: readonly string[], policy: ResourcePolicy): string[] {
  if (requested.length === 0) return [policy.allowed[0] ?? canonicalResource(policy.issuer)!]
  return [...new Set(requested.map(resource => allowedResource(resource, policy)))]
}

/** The audience of one token: a part of what the grant is for (RFC 8707 2.2). */
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
  throw new OAuthError('invalid_target', `No token is issued for the resource "${resource.slice(0, 200)}".`)
}

function grantedResource(resource: string, granted: readonly string[]): string {
  const canonical = canonicalResource(resource)
  if (canonical !== undefined && granted.includes(canonical)) return canonical
  throw new OAuthError('invalid_target', `The grant is not for the resource "${resource.slice(0, 200)}".`)
}
