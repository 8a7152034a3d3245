import { OAuthError } from '../oauth-error.ts'

/** The tokens of a scope, each once (RFC 6749 3.3). */
export function parseScope(scope: string | undefined): string[] {
  return [...new Set((scope ?? '').split(' ').filter(Boolean))]
}

/** What is asked for when it is offered, everything offered when nothing is asked for (RFC 6749 3.3). */
export function grantScope(requested: readonly string[], offered: readonly string[]): string[] {
  if (requested.length === 0) return [...offered]
  const unknown = requested.find(scope => !offered.includes(scope))
  if (unknown === undefined) return [...requested]
  throw new OAuthError(
    'invalid_scope',
    `There is no scope "${unknown.slice(0, 100)}"; there are: ${offered.join(' ')}.`,
  )
}

/** A refreshed token may have less than the grant, never more (RFC 6749 6). */
export function narrowScope(requested: readonly string[], granted: readonly string[]): string[] {
  if (requested.length === 0) return [...granted]
  const foreign = requested.find(scope => !granted.includes(scope))
  if (foreign === undefined) return [...requested]
  throw new OAuthError('invalid_scope', `The scope "${foreign.slice(0, 100)}" was not granted.`)
}
