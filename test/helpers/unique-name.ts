let count = 0

/** `weather-1`, `weather-2` …, for records whose names must differ. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${++count}`
}
