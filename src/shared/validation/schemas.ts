import type { ErrorObject } from 'ajv'
import type { BuildRequest } from '../definitions/definitions.ts'
import {
  compileSchema,
  DIALECTS,
  isKnownDialect,
  type JsonSchema,
  listSchemaErrors,
} from '../json/json-schema.ts'
import { joinPath, pointerSteps } from '../json/json-walk.ts'
import { describeLimit } from '../json/violations.ts'
import { nearestName } from '../names.ts'
import { type DefinitionProblem, problem } from './definition-problem.ts'
import { isSound, JSON_TYPES } from './sound-schema.ts'
import { listSubschemas } from './subschemas.ts'

/** Compiling 1000 schemas takes half a second. A few times as many overflow the compiler's stack. */
const MAX_SUBSCHEMAS = 1000
/** Keywords whose values are data. A `$ref` in data is not a reference. */
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
  const message = `${JSON.stringify($schema)} is not a supported dialect; omit it or use ${DIALECTS.join(' or ')}`
  return problem(joinPath(path, '$schema'), message)
}

/**
 * Requires an object schema. MCP up to 2025-11-25 only accepts object schemas, and each server serves clients of all versions.
 */
function checkRoot(path: string, { type }: JsonSchema): DefinitionProblem[] {
  if (type === 'object' || (type === undefined && path.endsWith('.inputSchema'))) return []
  const given = type === undefined ? 'but is missing' : `not ${JSON.stringify(type)}`
  return problem(joinPath(path, 'type'), `must be "object" at the root of the schema, ${given}`)
}

/** Finds references that point outside the schema. Schemas are never fetched. */
function findRemoteReferences(path: string, node: unknown): DefinitionProblem[] {
  if (node === null || typeof node !== 'object') return []
  return Object.entries(node).flatMap(([key, value]) => {
    const here = joinPath(path, Array.isArray(node) ? Number(key) : key)
    if ((key === '$ref' || key === '$dynamicRef') && typeof value === 'string') {
      if (value.startsWith('#')) return []
      const message = `"${value}" refers outside the schema; only internal references ("#/$defs/…") are supported`
      return problem(here, message)
    }
    return DATA_KEYWORDS.has(key) ? [] : findRemoteReferences(here, value)
  })
}

function checkMeaning(path: string, schema: JsonSchema): DefinitionProblem[] {
  const count = listSubschemas(path, schema).length
  if (count > MAX_SUBSCHEMAS)
    return problem(path, `contains ${count} schemas; the maximum is ${MAX_SUBSCHEMAS}`)
  const { $schema: _dialect, ...plain } = schema
  if (isSound(plain)) return []
  const error = deepestError(listSchemaErrors(schema))
  if (error) return [describeSchemaError(path, error, schema)]
  try {
    compileSchema(schema, { isTrial: true })
    return []
  } catch (cause) {
    return problem(path, `is not a valid JSON Schema: ${describeCause(cause as Error)}`)
  }
}

function describeCause(cause: Error): string {
  if (cause instanceof RangeError) return 'it contains an endless chain of references'
  const [, reference] = /^can't resolve reference (\S+)/.exec(cause.message) ?? []
  return reference ? `the target of the reference "${reference}" does not exist` : cause.message
}

/** Most specific error. The meta-schemas have many alternatives, so the outer errors are unhelpful. */
function deepestError(errors: readonly ErrorObject[]): ErrorObject | undefined {
  return errors.toSorted((a, b) => b.instancePath.split('/').length - a.instancePath.split('/').length)[0]
}

function describeSchemaError(path: string, error: ErrorObject, schema: JsonSchema): DefinitionProblem {
  const steps = pointerSteps(error.instancePath)
  const here = steps.reduce(
    (joined, step) => joinPath(joined, /^\d+$/.test(step) ? Number(step) : step),
    path,
  )
  const value = steps.reduce<unknown>(
    (node, step) => (node as Record<string, unknown> | undefined)?.[step],
    schema,
  )
  if (steps.at(-1) === 'type' && typeof value === 'string') {
    const near = nearestName(value, JSON_TYPES)
    const hint = near ? `; did you mean "${near}"?` : `; known types: ${JSON_TYPES.join(', ')}`
    return { path: here, message: `"${value}" is not a JSON Schema type${hint}` }
  }
  return { path: here, message: `is not valid JSON Schema: ${describeLimit(error)}` }
}
