import type { FuncKeywordDefinition } from 'ajv'

/**
 * `uniqueItems` in linear time. Ajv's own version compares all pairs of entries, which takes hours for a list of 4 MB from
 * a caller.
 */
export const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: { message: 'has duplicate items' },
  compile: (isUnique: boolean) => (items: unknown[]) =>
    !isUnique || new Set(items.map(equalityKey)).size === items.length,
}

/** Text that is equal for values that are equal in JSON Schema. The order of members does not matter. */
export function equalityKey(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(equalityKey).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${equalityKey(member)}`).join()}}`
}
