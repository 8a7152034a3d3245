/** The part of JSON Schema that the model reads. */
export interface Schema {
  type?: string | string[]
  title?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  items?: Schema | Schema[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  $ref?: string
  $defs?: Record<string, Schema>
  definitions?: Record<string, Schema>
}

const MAX_DEPTH = 8

/** Follows references, drops null alternatives and merges `allOf`. */
export function resolveSchema(schema: Schema, root: Schema, depth = 0): Schema {
  if (depth > MAX_DEPTH) return {}
  if (schema.$ref)
    return { ...resolveSchema(resolvePointer(schema.$ref, root), root, depth + 1), ...withoutRef(schema) }
  if (schema.allOf) {
    const parts = schema.allOf.map(part => resolveSchema(part, root, depth + 1))
    return { ...Object.assign({}, ...parts), ...schema, allOf: undefined }
  }
  const alternatives = schema.anyOf ?? schema.oneOf
  if (!alternatives) return schema
  const kept = alternatives
    .map(part => resolveSchema(part, root, depth + 1))
    .filter(part => part.type !== 'null')
  const constants = kept.map(part => part.const)
  if (kept.length > 1 && constants.every(value => value !== undefined))
    return { ...schema, enum: constants, anyOf: undefined, oneOf: undefined }
  return { ...kept[0], ...schema, anyOf: undefined, oneOf: undefined }
}

function withoutRef({ $ref: _, ...rest }: Schema): Schema {
  return rest
}

function resolvePointer(reference: string, root: Schema): Schema {
  let here: unknown = root
  for (const part of reference.replace(/^#\/?/, '').split('/')) {
    if (typeof here !== 'object' || here === null) return {}
    if (part !== '') here = (here as Record<string, unknown>)[part]
  }
  return (here as Schema | undefined) ?? {}
}

export type ValueType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'any'

export function typeOf(schema: Schema): ValueType {
  const types = Array.isArray(schema.type) ? schema.type.filter(type => type !== 'null') : [schema.type]
  const [type] = types
  if (type) return type as ValueType
  if (schema.properties) return 'object'
  if (schema.items) return 'array'
  const sample = schema.enum?.[0] ?? schema.const
  return sample === undefined ? 'any' : (typeof sample as ValueType)
}
