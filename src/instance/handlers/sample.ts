import type { JsonSchema } from '../../shared/json-schema.ts'

/** A value that a schema allows, always the same for the same schema and arguments. */
export function sampleOf(schema: JsonSchema, args: Record<string, unknown> = {}): unknown {
  if (schema.type === 'object') {
    const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
    return Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, args[name] ?? sampleOf(member)]),
    )
  }
  return schema.type === 'array'
    ? []
    : schema.type === 'boolean'
      ? true
      : schema.type === 'string'
        ? 'text'
        : 1
}
