/**
 * Values of the fields, one per line, without duplicates. A field is a path into the `--json` document, such as `change.file`.
 * Lists along the path are searched item by item. A failed record has no value except its status.
 */
export function quietLines(document: unknown, fields: readonly string[]): string[] {
  const isFailed = (document as { status?: unknown } | null)?.status === 'failed'
  if (isFailed && !fields.includes('status')) return []
  const values = fields.flatMap(field => valuesAt(document, field === '' ? [] : field.split('.')))
  return [...new Set(values.map(String))]
}

function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap(item => valuesAt(item, path))
  if (value === undefined || value === null || value === '') return []
  const [key, ...rest] = path
  if (key === undefined) return [value]
  return typeof value === 'object' ? valuesAt((value as Record<string, unknown>)[key], rest) : []
}
