import { encodeHeaderValue } from '../../shared/modern-envelope.ts'
import type { Entry } from './catalog.ts'
import { expandTemplate, templateVariables } from './expand-template.ts'
import { isObject, type McpRequest, type Params } from './messages.ts'

type Sent = Pick<McpRequest, 'method' | 'params' | 'about' | 'headers'>

/** The request that uses an entry with these arguments. */
export function requestFor({ kind, id, source }: Entry, args: Params): Sent {
  if (kind === 'resource') return readRequest(id)
  if (kind === 'template') return readRequest(expandTemplate(id, args))
  const method = kind === 'tool' ? 'tools/call' : 'prompts/get'
  const headers = kind === 'tool' ? Object.fromEntries(mirrored(source.inputSchema, args)) : {}
  return { method, params: { name: id, arguments: args }, about: id, headers }
}

function readRequest(uri: string): Sent {
  return { method: 'resources/read', params: { uri }, about: uri }
}

/** JSON Schema of the arguments. Undefined for a resource, which has none. */
export function argumentSchema({ kind, id, source }: Entry): unknown {
  if (kind === 'tool') return source.inputSchema ?? { type: 'object' }
  if (kind === 'template') return textsSchema(templateVariables(id))
  if (kind === 'resource') return undefined
  const declared = Array.isArray(source.arguments) ? source.arguments.filter(isObject) : []
  return textsSchema(declared)
}

/** Schema of the arguments of a prompt or the variables of a template, which are strings. */
function textsSchema(declared: readonly Params[]): object {
  const named = declared.filter(({ name }) => typeof name === 'string')
  const properties = named.map(({ name, title, description }) => [
    name,
    { type: 'string', maxLength: 10_000, title, description },
  ])
  const required = named.filter(one => one.required === true).map(({ name }) => name)
  return { type: 'object', properties: Object.fromEntries(properties), required }
}

/** Arguments that are repeated in `Mcp-Param-…` headers. Follows only `properties` (SEP-2243, `x-mcp-header`). */
function* mirrored(schema: unknown, value: unknown): Generator<[string, string]> {
  if (!isObject(schema)) return
  const header = schema['x-mcp-header']
  if (typeof header === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(header) && isPrimitive(value))
    yield [`mcp-param-${header}`, encodeHeaderValue(String(value))]
  if (!isObject(schema.properties) || !isObject(value)) return
  for (const [name, member] of Object.entries(schema.properties))
    if (Object.hasOwn(value, name)) yield* mirrored(member, value[name])
}

function isPrimitive(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
