const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** `512 B`, `12 KB`, `1.5 MB`. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0]
  for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}
