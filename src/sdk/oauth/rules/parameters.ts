import { OAuthError } from '../oauth-error.ts'

export interface Parameters {
  /** Value of a parameter. Undefined when it is empty (RFC 6749 3.1). */
  get(name: string): string | undefined
  /** All values of a parameter that may be repeated (`resource`, RFC 8707 2). */
  all(name: string): string[]
}

const REPEATABLE = new Set(['resource'])

/**
 * Parses request parameters. Throws for a repeated parameter (RFC 6749 3.1 and 3.2), because two readers of the request could
 * use different values.
 */
export function readParameters(search: URLSearchParams): Parameters {
  for (const name of new Set(search.keys())) {
    if (REPEATABLE.has(name) || search.getAll(name).length === 1) continue
    throw new OAuthError('invalid_request', `The parameter "${name.slice(0, 100)}" must not be repeated.`)
  }
  return {
    get: name => search.get(name) || undefined,
    all: name => search.getAll(name).filter(value => value !== ''),
  }
}
