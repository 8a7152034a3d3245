import { lookUp, type OpenApiDocument, resolveRef, type Schema } from './description.ts'

/** OpenAPI keywords that JSON Schema lacks or that do not help a model. */
const DROPPED_KEYWORDS = new Set([
  'discriminator',
  'xml',
  'externalDocs',
  'nullable',
  'example',
  'readOnly',
  'writeOnly',
])

/**
 * Converts OpenAPI schemas to JSON Schema 2020-12 (3.0: https://spec.openapis.org/oas/v3.0.4#schema-object, 3.1 needs no
 * conversion). References become `#/$defs/…`, and `definitions` collects their targets, including circular ones.
 */
export class SchemaConverter {
  readonly definitions: Record<string, Schema> = {}
  readonly #document: OpenApiDocument
  /** Omits properties that only occur in the other direction. */
  readonly #omitted: 'readOnly' | 'writeOnly'
  readonly #names = new Map<string, string>()

  constructor(document: OpenApiDocument, direction: 'request' | 'response') {
    this.#document = document
    this.#omitted = direction === 'request' ? 'readOnly' : 'writeOnly'
  }

  convert(schema: Schema | undefined): Schema {
    if (schema === undefined || typeof schema === 'boolean') return {}
    if (typeof schema.$ref === 'string') return this.#convertRef(schema)
    const result: Schema = {}
    for (const [keyword, value] of Object.entries(schema)) {
      if (DROPPED_KEYWORDS.has(keyword) || keyword.startsWith('x-')) continue
      result[keyword] = this.#convertKeyword(keyword, value)
    }
    return this.#adapt30(schema, this.#withoutOmitted(schema, result))
  }

  /** Resolves a reference at the root of a converted schema. */
  resolve(schema: Schema): Schema {
    const name = /^#\/\$defs\/(.+)$/.exec(String(schema.$ref ?? ''))?.[1]
    return (name && this.definitions[name]) || schema
  }

  /** Adds the `$defs` that the schema needs, directly or indirectly. */
  withDefinitions(schema: Schema): Schema {
    const needed = new Set<string>()
    const collect = (value: unknown) => {
      for (const [, name = ''] of JSON.stringify(value).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)) {
        if (needed.has(name)) continue
        needed.add(name)
        collect(this.definitions[name])
      }
    }
    collect(schema)
    if (needed.size === 0) return schema
    return { ...schema, $defs: Object.fromEntries([...needed].map(name => [name, this.definitions[name]])) }
  }

  #convertRef(schema: Schema): Schema {
    const ref = String(schema.$ref)
    const known = this.#names.get(ref)
    const description = schema.description === undefined ? {} : { description: schema.description }
    if (known) return { $ref: `#/$defs/${known}`, ...description }
    const name = this.#uniqueName(ref)
    this.#names.set(ref, name)
    this.definitions[name] = {} // A recursive schema refers to itself while it is converted.
    this.definitions[name] = this.convert(lookUp(this.#document, ref) as Schema | undefined)
    return { $ref: `#/$defs/${name}`, ...description }
  }

  #uniqueName(ref: string): string {
    const base = (ref.split('/').at(-1) ?? 'schema').replace(/[^A-Za-z0-9_.-]/g, '_') || 'schema'
    const taken = new Set(this.#names.values())
    let name = base
    for (let count = 2; taken.has(name); count++) name = `${base}_${count}`
    return name
  }

  #convertKeyword(keyword: string, value: unknown): unknown {
    switch (keyword) {
      case 'properties':
      case 'patternProperties':
      case '$defs':
      case 'dependentSchemas':
        return mapValues(value as Record<string, Schema>, inner => this.convert(inner))
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
      case 'prefixItems':
        return (value as Schema[]).map(inner => this.convert(inner))
      case 'items':
      case 'not':
      case 'if':
      case 'then':
      case 'else':
      case 'contains':
      case 'propertyNames':
      case 'additionalProperties':
        return typeof value === 'boolean' ? value : this.convert(value as Schema)
      default:
        return value
    }
  }

  #withoutOmitted(schema: Schema, result: Schema): Schema {
    const properties = schema.properties as Record<string, Schema> | undefined
    const omitted = Object.entries(properties ?? {})
      .filter(([, property]) => resolveRef<Schema>(this.#document, property)?.[this.#omitted] === true)
      .map(([name]) => name)
    if (omitted.length === 0) return result
    for (const name of omitted) delete (result.properties as Record<string, Schema>)[name]
    if (Array.isArray(result.required))
      result.required = result.required.filter(name => !omitted.includes(name))
    return result
  }

  /** Converts `nullable`, boolean `exclusiveMinimum` and `example` of OpenAPI 3.0. */
  #adapt30(schema: Schema, result: Schema): Schema {
    for (const [exclusive, bound] of [
      ['exclusiveMinimum', 'minimum'],
      ['exclusiveMaximum', 'maximum'],
    ] as const) {
      if (typeof schema[exclusive] !== 'boolean') continue
      delete result[exclusive]
      if (schema[exclusive] !== true || result[bound] === undefined) continue
      result[exclusive] = result[bound]
      delete result[bound]
    }
    if (schema.example !== undefined) result.examples = [schema.example]
    if (schema.nullable !== true) return result
    if (Array.isArray(result.enum)) result.enum = [...new Set([...result.enum, null])]
    if (typeof result.type === 'string') return { ...result, type: [result.type, 'null'] }
    return result.enum ? result : { anyOf: [result, { type: 'null' }] }
  }
}

function mapValues<T, R>(record: Record<string, T>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
