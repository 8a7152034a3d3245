import type { Scope } from '../../../shared/contract/access/scopes.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Principal } from '../../services/access/api-keys.ts'
import type { Access, ApiContext, Route } from '../endpoint.ts'

/** Throws INSUFFICIENT_SCOPE naming the missing scope, and sets the challenge of RFC 6750 section 3.1. */
export function requireScope(context: ApiContext, route: Pick<Route, 'method' | 'path' | 'access'>): void {
  const principal = context.get('principal')
  const missing = missingScope(principal, route.access)
  if (!missing) return
  const challenge = `Bearer realm="mcp-hosting", error="insufficient_scope", scope="${missing}"`
  context.header('WWW-Authenticate', challenge)
  const [operation, needed] = [`${route.method} ${route.path}`, scopesOf(route.access).join(' or ')]
  throw new HostingError(
    'INSUFFICIENT_SCOPE',
    `${operation} needs the scope ${needed}, but the key "${principal.name}" has ${principal.scopes.join(', ')}.`,
    { details: `Use a key with that scope: mcp keys create --name NAME --scopes ${missing}` },
  )
}

/** The missing scope. Undefined when the key may make the request. */
export function missingScope(principal: Principal, access: Access): Scope | undefined {
  const scopes = scopesOf(access)
  return scopes.some(scope => principal.scopes.includes(scope)) ? undefined : scopes[0]
}

/** Accepted scopes. Any one of them is enough. Empty for an operation that requires none. */
export function scopesOf(access: Access): readonly Scope[] {
  if (access === 'open' || access === 'any') return []
  return typeof access === 'string' ? [access] : access
}
