import { HostingError } from '../../shared/errors.ts'
import type { Scope } from '../../shared/scopes.ts'
import type { Principal } from '../services/api-keys.ts'
import type { Access, Route } from './endpoint.ts'

/** Throws INSUFFICIENT_SCOPE that names the scope which is needed and those the key has. */
export function requireScope(principal: Principal, route: Pick<Route, 'method' | 'path' | 'access'>): void {
  const needed = missingScope(principal, route.access)
  if (!needed) return
  throw new HostingError(
    'INSUFFICIENT_SCOPE',
    `${route.method} ${route.path} needs the scope ${needed}; the key "${principal.name}" has ${principal.scopes.join(', ')}.`,
    {
      next: [
        { description: 'Make a key that may', command: `mcp keys create --name NAME --scopes ${needed}` },
      ],
    },
  )
}

export function missingScope(principal: Principal, access: Access): Scope | undefined {
  if (access === 'open' || access === 'any' || principal.scopes.includes(access)) return undefined
  return access
}
