import type { Parameter } from '../tools/signature.ts'

/**
 * Checks a value against the schema's lengths, ranges and address formats. Ignores patterns, because a server's pattern may
 * be slow.
 */
export function isAllowed({ schema, items }: Parameter, value: unknown): boolean {
  if (typeof value === 'string') return isAllowedText(schema, value)
  if (typeof value === 'number')
    return value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity)
  if (!Array.isArray(value)) return true
  const many = value.length >= (schema.minItems ?? 0) && value.length <= (schema.maxItems ?? Infinity)
  return many && (items === undefined || value.every(part => isAllowed(items, part)))
}

function isAllowedText(
  { minLength = 0, maxLength = Infinity, format }: Parameter['schema'],
  text: string,
): boolean {
  if (text.length < minLength || text.length > maxLength) return false
  if (format === 'email') return text.includes('@')
  if (format === 'uri' || format === 'url') return text.includes(':')
  return true
}
