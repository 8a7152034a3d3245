import { isSchemaObject, type SchemaObject } from './schema-document.ts'

type Combine = (a: unknown, b: unknown) => unknown

const both: Combine = (a, b) => ({ allOf: [a, b] })
const larger: Combine = (a, b) => Math.max(...numbers(a, b))
const smaller: Combine = (a, b) => Math.min(...numbers(a, b))

/** Combines the values of a keyword from two schemas that both apply. For other keywords, the first schema wins. */
const COMBINE: Readonly<Record<string, Combine>> = {
  type: combineTypes,
  enum: (a, b) => {
    const texts = new Set((b as unknown[]).map(value => JSON.stringify(value)))
    return (a as unknown[]).filter(value => texts.has(JSON.stringify(value)))
  },
  properties: combineMembers,
  patternProperties: combineMembers,
  required: (a, b) => [...new Set([...(a as string[]), ...(b as string[])])],
  additionalProperties: both,
  propertyNames: both,
  items: both,
  contains: both,
  prefixItems: (a, b) => combineTuples(a as unknown[], b as unknown[]),
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
}

/** Drops limits that are not numbers. */
function numbers(...limits: unknown[]): number[] {
  return limits.filter(limit => typeof limit === 'number')
}

/** One schema for two that both apply. For display only, so the first schema wins if a keyword cannot be combined. */
export function merge(a: SchemaObject, b: SchemaObject): SchemaObject {
  const merged: SchemaObject = { ...a }
  for (const [keyword, value] of Object.entries(b)) {
    if (merged[keyword] === undefined) merged[keyword] = value
    else if (Object.hasOwn(COMBINE, keyword)) merged[keyword] = combine(keyword, merged[keyword], value)
  }
  return merged
}

/** Keeps the first value if either value has the wrong type. */
function combine(keyword: string, a: unknown, b: unknown): unknown {
  const isList = ['enum', 'required', 'prefixItems'].includes(keyword)
  if (isList && !(Array.isArray(a) && Array.isArray(b))) return a
  return COMBINE[keyword]!(a, b)
}

function combineMembers(a: unknown, b: unknown): unknown {
  if (!isSchemaObject(a) || !isSchemaObject(b)) return a
  const added = Object.entries(b).map(([name, schema]) => [
    name,
    Object.hasOwn(a, name) ? both(a[name], schema) : schema,
  ])
  return { ...a, ...Object.fromEntries(added) }
}

function combineTuples(a: unknown[], b: unknown[]): unknown[] {
  const longer = a.length > b.length ? a : b
  return longer.map((_, index) => {
    if (index >= a.length) return b[index]
    return index < b.length ? both(a[index], b[index]) : a[index]
  })
}

function combineTypes(a: unknown, b: unknown): unknown {
  const [left, right] = [[a].flat(), [b].flat()]
  const has = (types: unknown[], type: unknown) =>
    types.includes(type) || (type === 'integer' && types.includes('number'))
  const common = [...left.filter(type => has(right, type)), ...right.filter(type => has(left, type))]
  const types = [...new Set(common)]
  return types.length === 1 ? types[0] : types
}
