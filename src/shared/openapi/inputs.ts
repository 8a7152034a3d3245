import { isJsonType, type Parameter, type Schema, shorten } from './description.ts'
import type { SchemaConverter } from './schema.ts'

/** A tool's arguments, collected from parameters and body. */
export interface Inputs {
  properties: Record<string, Schema>
  required: string[]
}

/** Parts of an HTTP handler that send the parameters. */
export interface ParameterParts {
  path: string
  query: Record<string, string>
  headers: Record<string, string>
}

/** Declares each parameter as an argument and uses it in path, query, headers or cookies. */
export function addParameters(
  path: string,
  parameters: readonly Parameter[],
  converter: SchemaConverter,
  inputs: Inputs,
): ParameterParts {
  const parts: ParameterParts = { path, query: {}, headers: {} }
  const repeated: string[] = []
  const cookies: string[] = []
  for (const parameter of parameters) {
    // OpenAPI ignores parameters with these header names ("Fixed Fields" of a parameter).
    if (parameter.in === 'header' && /^(accept|content-type|authorization)$/i.test(parameter.name)) continue
    const { variable, schema } = declare(parameter, converter, inputs)
    const value = expressionOf(parameter, variable, schema)
    if (parameter.in === 'path') parts.path = parts.path.replaceAll(`{${parameter.name}}`, inPath(value))
    else if (parameter.in === 'header') parts.headers[parameter.name] = `{{ ${value} }}`
    else if (parameter.in === 'cookie') cookies.push(`${parameter.name}={{ ${value} }}`)
    else if (isRepeated(parameter, schema)) repeated.push(repeatedQuery(parameter.name, variable))
    else parts.query[parameter.name] = `{{ ${value} }}`
  }
  if (repeated.length > 0) parts.path += `?${repeated.join('')}`
  if (cookies.length > 0) parts.headers.Cookie = cookies.join('; ')
  return parts
}

/** Declares a parameter as an argument. Prefixes a duplicate name with the parameter's location. */
function declare(parameter: Parameter, converter: SchemaConverter, inputs: Inputs) {
  const content = Object.values(parameter.content ?? {})[0]
  const schema = converter.convert(parameter.schema ?? content?.schema)
  const description = shorten(parameter.description ?? (schema.description as string | undefined))
  const name = parameter.name in inputs.properties ? `${parameter.in}_${parameter.name}` : parameter.name
  inputs.properties[name] = description ? { ...schema, description } : schema
  if (parameter.required || parameter.in === 'path') inputs.required.push(name)
  return { variable: variableOf(name), schema: converter.resolve(schema) }
}

function expressionOf(parameter: Parameter, variable: string, schema: Schema): string {
  if (parameter.content || schema.type === 'object') return `${variable} | json`
  if (schema.type !== 'array') return variable
  const separator = { spaceDelimited: ' ', pipeDelimited: '|' }[parameter.style ?? ''] ?? ','
  return `${variable} | join: "${separator}"`
}

/** True for a list that is sent as `name=a&name=b`. The names in a handler's `query` are unique, so it goes into the path. */
function isRepeated({ style = 'form', explode = true, content }: Parameter, schema: Schema): boolean {
  return schema.type === 'array' && style === 'form' && explode && !content
}

function repeatedQuery(name: string, variable: string): string {
  return `{% for value in ${variable} %}${encodeURIComponent(name)}={{ value | url_encode }}&{% endfor %}`
}

/** Liquid's url_encode turns spaces into `+`, which is literal in a path (RFC 3986, 3.3). */
function inPath(expression: string): string {
  return `{{ ${expression} | url_encode | replace: "+", "%20" }}`
}

/** Names that Liquid or the scope of a template reserves. */
const RESERVED_NAMES = new Set(
  'args data env context response true false nil null empty blank and or not contains'.split(' '),
)

/** `city` or, if that is not a valid Liquid variable, `args["X-City"]`. */
function variableOf(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !RESERVED_NAMES.has(name)) return name
  return `args["${name.replaceAll('"', '\\"')}"]`
}

export interface RequestBody {
  required?: boolean
  content?: Record<string, { schema?: Schema }>
}

/** Declares the fields of the body, or the whole body, as arguments. Returns a reason if the body is not supported. */
export function addBody(
  body: RequestBody | undefined,
  converter: SchemaConverter,
  inputs: Inputs,
): { body?: unknown; headers: Record<string, string> } | { skipped: string } {
  const types = Object.keys(body?.content ?? {})
  if (!body || types.length === 0) return { headers: {} }
  const isForm = (type: string) => type.startsWith('application/x-www-form-urlencoded')
  const type = types.find(isJsonType) ?? types.find(one => isForm(one) || one.startsWith('text/plain'))
  if (!type) return { skipped: `it requires ${types.join(' or ')}, not JSON` }
  const schema = converter.convert(body.content?.[type]?.schema)
  const headers: Record<string, string> = type === 'application/json' ? {} : { 'Content-Type': type }
  const fields = flatFields(converter.resolve(schema), inputs)
  if (fields && (isJsonType(type) || isForm(type))) {
    const members = addFields(fields, inputs)
    return { headers, body: isForm(type) ? formBody(Object.keys(members)) : members }
  }
  const name = 'body' in inputs.properties ? 'request_body' : 'body'
  inputs.properties[name] = schema
  // A handler always sends its body, so the argument is required.
  inputs.required.push(name)
  const variable = variableOf(name)
  // A handler sends a string as text, so it must be quoted for JSON.
  if (isJsonType(type) && converter.resolve(schema).type === 'string')
    return { headers: { 'Content-Type': type }, body: `{{ ${variable} | json }}` }
  return { headers, body: `{{ ${variable} }}` }
}

/** Fields of a plain object, each one an argument. Undefined for complex schemas or name conflicts. */
function flatFields(schema: Schema, inputs: Inputs): Inputs | undefined {
  const { type, properties, required, additionalProperties } = schema
  const plain = !['allOf', 'anyOf', 'oneOf', 'not', 'if', 'patternProperties'].some(word => word in schema)
  if (!plain || (type !== undefined && type !== 'object') || !properties || additionalProperties)
    return undefined
  if (Object.keys(properties).some(name => name in inputs.properties)) return undefined
  return { properties: properties as Record<string, Schema>, required: (required ?? []) as string[] }
}

function addFields(fields: Inputs, inputs: Inputs): Record<string, string> {
  Object.assign(inputs.properties, fields.properties)
  inputs.required.push(...fields.required)
  return Object.fromEntries(Object.keys(fields.properties).map(name => [name, `{{ ${variableOf(name)} }}`]))
}

function formBody(names: string[]): string {
  return names
    .map(name => {
      const variable = variableOf(name)
      return `{% if ${variable} != nil %}${encodeURIComponent(name)}={{ ${variable} | url_encode }}&{% endif %}`
    })
    .join('')
}
