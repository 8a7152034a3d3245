/** Checks on values in messages from processes, which may run user code. */
export type Members = Record<string, unknown>

const MAX_ID_CHARACTERS = 256

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isListOf(values: unknown, most: number, isValue: (value: unknown) => boolean): boolean {
  return Array.isArray(values) && values.length <= most && values.every(isValue)
}

export function isId(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_ID_CHARACTERS
}

export function isCount(value: unknown, most = Number.MAX_SAFE_INTEGER): boolean {
  return typeof value === 'number' && value >= 0 && value <= most
}
