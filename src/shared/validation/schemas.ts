import type { ErrorObject } from 'ajv'
import type { BuildRequest } from '../definitions.ts'
import { compileSchema, DIALECTS, isKnownDialect, type JsonSchema, listSchemaErrors } from '../json-schema.ts'
import { joinPath } from '../json-walk.ts'
import { nearestName } from '../names.ts'
import type { DefinitionProblem } from '../validate-definitions.ts'
import { isSound } from './sound-schema.ts'
import { listSubschemas } from './subschemas.ts'

/** Compiling so many takes half a second; a few times more overflows the compiler's stack. */
const MAX_SUBSCHEMAS = 1000
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
/** Their values are data in which a member called `$ref` means nothing. */
const DATA_KEYWORDS = new Set(['const', 'enum', 'default', 'examples'])

export function findSchemaProblems({ tools = [] }: BuildRequest): DefinitionProblem[] {
  return tools.flatMap(({ inputSchema, outputSchema }, index) => [
    ...checkSchema(`tools[${index}].inputSchema`, inputSchema),
    ...(outputSchema ? checkSchema(`tools[${index}].outputSchema`, outputSchema) : []),
  ])
}

function checkSchema(path: string, schema: JsonSchema): DefinitionProblem[] {
  const problems = [
    ...checkDialect(path, schema),
    ...checkRoot(path, schema),
    ...findRemoteReferences(path, schema),
  ]
  return problems.length > 0 ? problems : checkMeaning(path, schema)
}

function checkDialect(path: string, { $schema }: JsonSchema): DefinitionProblem[] {
  if ($schema === undefined || (typeof $schema === 'string' && isKnownDialect($schema))) return []
  const message = `${JSON.stringify($schema)} is not known; leave it out or take ${DIALECTS.join(' or ')}`
  return [{ path: joinPath(path, '$schema'), message }]
}

/** MCP up to 2025-11-25 takes nothing but objects for either schema, and one server speaks to all clients. */
function checkRoot(path: string, { type }: JsonSchema): DefinitionProblem[] {
  if (type === 'object' || (type === undefined && path.endsWith('.inputSchema'))) return []
  const given = type === undefined ? 'there is none' : `not ${JSON.stringify(type)}`
  return [{ path: joinPath(path, 'type'), message: `must be "object" at the root of the schema, ${given}` }]
}

/** A schema is complete in itself: nothing is ever fetched to understand it. */
function findRemoteReferences(path: string, node: unknown): DefinitionProblem[] {
  if (node === null || typeof node !== 'object') return []
  return Object.entries(node).flatMap(([key, value]) => {
    const here = joinPath(path, Array.isArray(node) ? Number(key) : key)
    if ((key === '$ref' || key === '$dynamicRef') && typeof value === 'string') {
      if (value.startsWith('#')) return []
      const message = `"${value}" leads out of the schema; only references within it ("#/$defs/…") are followed`
      return [{ path: here, message }]
    }
    return DATA_KEYWORDS.has(key) ? [] : findRemoteReferences(here, value)
  })
}

function checkMeaning(path: string, schema: JsonSchema): DefinitionProblem[] {
  const count = listSubschemas(path, schema).length
  if (count > MAX_SUBSCHEMAS)
    return [{ path, message: `holds ${count} schemas; one of a tool may hold ${MAX_SUBSCHEMAS}` }]
  const { $schema: _dialect, ...plain } = schema
  if (isSound(plain)) return []
  const error = deepest(listSchemaErrors(schema))
  if (error) return [describeSchemaError(path, error, schema)]
  try {
    compileSchema(schema, { isTrial: true })
    return []
  } catch (cause) {
    return [{ path, message: `is not a valid JSON Schema: ${describeCause(cause as Error)}` }]
  }
}

function describeCause(cause: Error): string {
  if (cause instanceof RangeError) return 'a reference in it leads back to itself without end'
  const [, reference] = /^can't resolve reference (\S+)/.exec(cause.message) ?? []
  return reference ? `"${reference}" refers to nothing in it` : cause.message
}

/** The meta-schemas are full of alternatives; the error furthest in is the one that means something. */
function deepest(errors: readonly ErrorObject[]): ErrorObject | undefined {
  return errors.toSorted((a, b) => b.instancePath.split('/').length - a.instancePath.split('/').length)[0]
}

function describeSchemaError(path: string, error: ErrorObject, schema: JsonSchema): DefinitionProblem {
  const steps = error.instancePath.slice(1).split('/').filter(Boolean).map(unescapePointer)
  const here = steps.reduce(
    (joined, step) => joinPath(joined, /^\d+$/.test(step) ? Number(step) : step),
    path,
  )
  const value = steps.reduce<unknown>(
    (node, step) => (node as Record<string, unknown> | undefined)?.[step],
    schema,
  )
  if (steps.at(-1) === 'type' && typeof value === 'string') {
    const near = nearestName(value, TYPES)
    const hint = near ? `; did you mean "${near}"?` : `; types are ${TYPES.join(', ')}`
    return { path: here, message: `"${value}" is not a JSON Schema type${hint}` }
  }
  return { path: here, message: `is not valid JSON Schema: ${error.message}, not ${JSON.stringify(value)}` }
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
