import type { FuncKeywordDefinition } from 'ajv'

/**
 * `uniqueItems` in a time that grows with the array's length: Ajv compares each entry with each other one, which for a
 * list that a caller may fill with 4 MB takes hours.
 */
export const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: { message: 'must NOT have duplicate items' },
  compile: (isUnique: boolean) => (items: unknown[]) =>
    !isUnique || new Set(items.map(toKey)).size === items.length,
}

/** The same text for values that JSON Schema counts as equal: the order of members does not matter. */
function toKey(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toKey).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toKey(member)}`).join()}}`
}
