import type { JsonSchema } from '../../shared/json/json-schema.ts'
import type { Attempt } from './attempt.ts'

const MAX_REFERENCES = 50

/** Resolves references, `allOf` and alternatives to one schema. Undefined when that is impossible. */
export function flattenSchema(given: unknown, attempt: Attempt, followed = 0): JsonSchema | undefined {
  if (given === false || followed > MAX_REFERENCES) return undefined
  if (given === null || typeof given !== 'object') return {}
  const {
    $ref,
    $dynamicRef,
    allOf,
    anyOf,
    oneOf,
    if: condition,
    then,
    else: otherwise,
    ...own
  } = given as JsonSchema
  const reference = $ref ?? $dynamicRef
  const parts = [
    ...(typeof reference === 'string' ? [resolveReference(reference, attempt.root)] : []),
    ...asList(allOf),
    ...chosen(anyOf, attempt.branch),
    ...chosen(oneOf, attempt.branch),
    ...conditionalSchemas(condition, then, otherwise, attempt.branch),
  ]
  let merged: JsonSchema = own
  for (const part of parts) {
    const flat = flattenSchema(part, attempt, followed + 1)
    if (!flat) return undefined
    merged = mergeSchemas(merged, flat)
  }
  return merged
}

/** The declared type, otherwise the type that the keywords imply. */
export function typeOf(schema: JsonSchema): string {
  const { type } = schema
  if (Array.isArray(type)) return type.find(one => one !== 'null') ?? 'null'
  if (typeof type === 'string') return type
  const has = (...keywords: string[]) => keywords.some(keyword => keyword in schema)
  if (
    has(
      'properties',
      'required',
      'additionalProperties',
      'patternProperties',
      'minProperties',
      'propertyNames',
    )
  )
    return 'object'
  if (has('items', 'prefixItems', 'contains', 'minItems', 'uniqueItems')) return 'array'
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) return 'number'
  return 'string'
}

/** Merges two schemas into one that requires both, as far as possible. */
export function mergeSchemas(a: JsonSchema, b: JsonSchema): JsonSchema {
  const merged: JsonSchema = { ...a, ...b }
  for (const keyword of Object.keys(a))
    if (keyword in b) merged[keyword] = mergeKeyword(keyword, a[keyword], b[keyword])
  return merged
}

function mergeKeyword(keyword: string, a: unknown, b: unknown): unknown {
  if (keyword === 'type') return commonType(asList(a), asList(b))
  if (keyword === 'required') return [...new Set([...asList(a), ...asList(b)])]
  if (keyword === 'enum') return asList(a).filter(value => asList(b).some(other => isSame(value, other)))
  if (keyword === 'properties' || keyword === '$defs') return mergeMembers(a as JsonSchema, b as JsonSchema)
  if (/^(?:min|exclusiveMin)/.test(keyword)) return Math.max(Number(a), Number(b))
  if (/^(?:max|exclusiveMax)/.test(keyword)) return Math.min(Number(a), Number(b))
  if (['items', 'contains', 'propertyNames', 'additionalProperties'].includes(keyword))
    return { allOf: [a, b] }
  return b
}

function mergeMembers(a: JsonSchema, b: JsonSchema): JsonSchema {
  const merged: JsonSchema = { ...a, ...b }
  for (const name of Object.keys(a)) if (Object.hasOwn(b, name)) merged[name] = { allOf: [a[name], b[name]] }
  return merged
}

function commonType(a: unknown[], b: unknown[]): unknown {
  const both = a.filter(type => b.includes(type))
  if (both.length > 0) return both.length === 1 ? both[0] : both
  return [...a, ...b].includes('integer') ? 'integer' : b
}

/** Target of a reference inside the schema. The build refuses references to other schemas. */
function resolveReference(reference: string, root: JsonSchema): unknown {
  const fragment = decodeURIComponent(reference.slice(1))
  if (fragment === '') return root
  if (!fragment.startsWith('/')) return findAnchor(root, fragment) ?? false
  return fragment
    .slice(1)
    .split('/')
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, step) => (node as JsonSchema | undefined)?.[step], root)
}

function findAnchor(node: unknown, name: string): unknown {
  if (node === null || typeof node !== 'object') return undefined
  const { $anchor, $dynamicAnchor } = node as JsonSchema
  if ($anchor === name || $dynamicAnchor === name) return node
  for (const member of Object.values(node)) {
    const found = findAnchor(member, name)
    if (found) return found
  }
  return undefined
}

function chosen(alternatives: unknown, branch: number): unknown[] {
  const list = asList(alternatives)
  return list.length > 0 ? [list[branch % list.length]] : []
}

function conditionalSchemas(
  condition: unknown,
  then: unknown,
  otherwise: unknown,
  branch: number,
): unknown[] {
  if (condition === undefined) return []
  return branch % 2 === 0 ? [condition, then ?? {}] : [otherwise ?? {}]
}

function asList(value: unknown): unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
