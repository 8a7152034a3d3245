import { OAuthError } from '../oauth-error.ts'

/** Distinct tokens of a scope (RFC 6749 3.3). */
export function parseScope(scope: string | undefined): string[] {
  return [...new Set((scope ?? '').split(' ').filter(Boolean))]
}

/** The requested scopes, or all offered ones when none is requested (RFC 6749 3.3). Throws `invalid_scope`. */
export function grantScope(requested: readonly string[], offered: readonly string[]): string[] {
  if (requested.length === 0) return [...offered]
  const unknown = requested.find(scope => !offered.includes(scope))
  if (unknown === undefined) return [...requested]
  throw new OAuthError(
    'invalid_scope',
    `The scope "${unknown.slice(0, 100)}" is unknown. Known scopes: ${offered.join(' ')}.`,
  )
}

/** Scopes of a refreshed token, a subset of the grant's scopes (RFC 6749 6). Throws `invalid_scope`. */
export function narrowScope(requested: readonly string[], granted: readonly string[]): string[] {
  if (requested.length === 0) return [...granted]
  const foreign = requested.find(scope => !granted.includes(scope))
  if (foreign === undefined) return [...requested]
  throw new OAuthError('invalid_scope', `The scope "${foreign.slice(0, 100)}" was not granted.`)
}
