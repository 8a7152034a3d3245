export type Schema = { [keyword: string]: unknown }

/** Parts of an OpenAPI 3.0 or 3.1 description that are needed for tools (https://spec.openapis.org/oas/v3.1.1). */
export interface OpenApiDocument {
  openapi: string
  info: { title: string; version: string; description?: string; summary?: string }
  servers?: ServerObject[]
  security?: SecurityRequirement[]
  paths?: Record<string, PathItem>
  components?: { securitySchemes?: Record<string, SecurityScheme> }
}

interface ServerObject {
  url: string
  description?: string
  variables?: Record<string, { default: string }>
}

/** Scheme name → scopes. A request needs all schemes of a requirement. The requirements in a list are alternatives. */
type SecurityRequirement = Record<string, string[]>

export interface SecurityScheme {
  type: string
  scheme?: string
  in?: string
  name?: string
  description?: string
}

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

export type PathItem = { parameters?: Parameter[]; servers?: ServerObject[] } & {
  [method in (typeof METHODS)[number]]?: Operation
}

export interface Operation {
  operationId?: string
  summary?: string
  description?: string
  deprecated?: boolean
  parameters?: Parameter[]
  requestBody?: { required?: boolean; description?: string; content?: Record<string, { schema?: Schema }> }
  responses?: Record<string, { content?: Record<string, { schema?: Schema }> }>
  security?: SecurityRequirement[]
  servers?: ServerObject[]
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required?: boolean
  description?: string
  schema?: Schema
  content?: Record<string, { schema?: Schema }>
  style?: string
  explode?: boolean
}

/** Follows `$ref` within the document. Undefined for a missing or circular reference. */
export function resolveRef<T>(
  document: OpenApiDocument,
  value: T | { $ref: string } | undefined,
): T | undefined {
  let at: unknown = value
  for (let steps = 0; steps < 32; steps++) {
    const ref = (at as { $ref?: unknown } | undefined)?.$ref
    if (typeof ref !== 'string') return at as T | undefined
    at = lookUp(document, ref)
  }
  return undefined
}

/** Resolves a JSON pointer (RFC 6901) such as `#/components/schemas/Book`. */
export function lookUp(document: OpenApiDocument, ref: string): unknown {
  if (!ref.startsWith('#/')) return undefined
  return ref
    .slice(2)
    .split('/')
    .map(segment => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, segment) => (at as Record<string, unknown> | undefined)?.[segment], document)
}

export function isJsonType(type: string): boolean {
  return /^application\/(.+\+)?json\b/.test(type)
}

/** Longer descriptions cost a model more tokens than they are worth. */
const MAX_DESCRIPTION = 300

/** First paragraph of a description, on one line. */
export function shorten(text: string | undefined): string | undefined {
  const [paragraph = ''] = (text ?? '').trim().split(/\n\s*\n/)
  const line = paragraph.replace(/\s+/g, ' ')
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION - 1)}…` : line || undefined
}
