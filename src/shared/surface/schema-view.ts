import { pointerSteps } from '../json/json-walk.ts'

/** A JSON Schema as an object. `true` and a missing schema are `{}`, which allows everything. */
export type Schema = Record<string, unknown>

/** A schema with the document that its `$ref`s refer to. */
export interface View {
  schema: Schema
  root: Schema
}

/** `false` allows nothing. */
const EMPTY_SCHEMA: Schema = { enum: [] }

export function viewOf(value: unknown, root: Schema): View {
  return resolve(value === false ? EMPTY_SCHEMA : isSchema(value) ? value : {}, root, 0)
}

export function childView({ root }: View, value: unknown): View {
  return viewOf(value, root)
}

const MAX_REFS = 20

function resolve(schema: Schema, root: Schema, refs: number): View {
  const { $ref, ...siblings } = schema
  if (typeof $ref !== 'string' || refs > MAX_REFS) return { schema, root }
  const target = lookUp(root, $ref)
  return isSchema(target) ? resolve({ ...target, ...siblings }, root, refs + 1) : { schema: siblings, root }
}

/** Target of `#/$defs/point`. Schemas have no external references. */
function lookUp(root: Schema, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined
  return pointerSteps(decodeURIComponent(ref.slice(1))).reduce<unknown>(
    (node, step) => (node as Schema | undefined)?.[step],
    root,
  )
}

/** Alternatives of `anyOf` or `oneOf`, each merged with its sibling keywords. If there are none, the schema itself. */
export function alternativesOf(view: View): View[] {
  const { anyOf, oneOf, ...rest } = view.schema
  const branches = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined
  if (!branches || (anyOf && oneOf)) return [view]
  return branches.flatMap(branch => {
    const { schema, root } = childView(view, branch)
    return alternativesOf({ schema: { ...rest, ...schema }, root })
  })
}

const ALL_TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']

/** `number` includes `integer`. Without `type`, the types of the allowed values. */
export function typesOf(view: View): Set<string> {
  const { type } = view.schema
  const implied = valuesOf(view)?.map(typeOf) ?? ALL_TYPES
  const named = typeof type === 'string' ? [type] : Array.isArray(type) ? type.map(String) : implied
  return new Set(named.includes('number') ? [...named, 'integer'] : named)
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** Values of `enum` or `const`. Undefined without either. */
export function valuesOf({ schema }: View): unknown[] | undefined {
  if ('const' in schema) return [schema.const]
  return Array.isArray(schema.enum) ? schema.enum : undefined
}

export function propertiesOf({ schema }: View): Schema {
  return isSchema(schema.properties) ? schema.properties : {}
}

export function requiredOf({ schema }: View): Set<string> {
  return new Set(Array.isArray(schema.required) ? schema.required.map(String) : [])
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
