import type { OpenApiDocument, Operation, SecurityScheme } from './description.ts'
import { resolveRef } from './description.ts'

/** Security of an operation as parts of an HTTP handler. */
export interface Credentials {
  headers: Record<string, string>
  query: Record<string, string>
  env: { name: string; description: string; required: true }[]
}

const NO_CREDENTIALS: Credentials = { headers: {}, query: {}, env: [] }

/**
 * The first security requirement that environment variables can satisfy, or none for an operation without security.
 * Undefined when every requirement needs something else, such as mutual TLS.
 */
export function credentialsFor(document: OpenApiDocument, operation: Operation): Credentials | undefined {
  const requirements = operation.security ?? document.security ?? []
  if (requirements.length === 0 || requirements.some(one => Object.keys(one).length === 0))
    return NO_CREDENTIALS
  for (const requirement of requirements) {
    const parts = Object.keys(requirement).map(name => credentialOf(document, name))
    if (parts.every(part => part !== undefined)) return parts.reduce(merge, NO_CREDENTIALS)
  }
  return undefined
}

function credentialOf(document: OpenApiDocument, name: string): Credentials | undefined {
  const scheme = resolveRef<SecurityScheme>(document, document.components?.securitySchemes?.[name])
  if (!scheme) return undefined
  const prefix = variablePrefix(document, name)
  const declare = (suffix: string, what: string) => ({
    name: `${prefix}_${suffix}`,
    description: scheme.description?.split('\n')[0]?.slice(0, 200) || what,
    required: true as const,
  })
  switch (scheme.type) {
    case 'http':
      return scheme.scheme?.toLowerCase() === 'basic'
        ? basic(declare('USER', 'User name'), declare('PASSWORD', 'Password'))
        : bearer(declare('TOKEN', 'Bearer token'))
    case 'oauth2':
    case 'openIdConnect':
      return bearer(declare('TOKEN', 'Access token'))
    case 'apiKey':
      return apiKey(scheme, declare('KEY', 'API key'))
    default:
      return undefined
  }
}

type Variable = Credentials['env'][number]

function bearer(token: Variable): Credentials {
  return { ...NO_CREDENTIALS, headers: { Authorization: `Bearer {{ env.${token.name} }}` }, env: [token] }
}

function basic(user: Variable, password: Variable): Credentials {
  const pair = `{{ env.${user.name} | append: ":" | append: env.${password.name} | base64_encode }}`
  return { ...NO_CREDENTIALS, headers: { Authorization: `Basic ${pair}` }, env: [user, password] }
}

function apiKey(scheme: SecurityScheme, key: Variable): Credentials {
  const name = scheme.name ?? 'X-API-Key'
  const value = `{{ env.${key.name} }}`
  if (scheme.in === 'query') return { ...NO_CREDENTIALS, query: { [name]: value }, env: [key] }
  if (scheme.in === 'cookie')
    return { ...NO_CREDENTIALS, headers: { Cookie: `${name}=${value}` }, env: [key] }
  return { ...NO_CREDENTIALS, headers: { [name]: value }, env: [key] }
}

/** `API` for a single scheme, otherwise derived from its name, so that schemes do not share a variable. */
function variablePrefix(document: OpenApiDocument, name: string): string {
  if (Object.keys(document.components?.securitySchemes ?? {}).length === 1) return 'API'
  const words = name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').replace(/[^A-Za-z0-9]+/g, '_')
  const prefix = words.replace(/^_+|_+$/g, '').toUpperCase()
  return /^[A-Z]/.test(prefix) ? prefix : `API_${prefix}`
}

function merge(a: Credentials, b: Credentials): Credentials {
  return {
    headers: mergeHeaders(a.headers, b.headers),
    query: { ...a.query, ...b.query },
    env: [...a.env, ...b.env],
  }
}

/** Joins cookies, because a request has one `Cookie` header. If `a` and `b` have the same cookie or other header, `b` wins. */
export function mergeHeaders(a: Record<string, string>, b: Record<string, string>): Record<string, string> {
  const pairs = [a.Cookie, b.Cookie].flatMap(header => header?.split('; ') ?? [])
  const cookies = new Map(pairs.map(pair => [pair.split('=', 1)[0], pair]))
  return { ...a, ...b, ...(cookies.size > 0 && { Cookie: [...cookies.values()].join('; ') }) }
}
