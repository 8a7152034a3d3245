const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** `12 s`, `3 min`, `2 h`, `5 d`: time since then, rounded down. */
export function formatElapsed(timestamp: string, nowMs = Date.now()): string {
  return formatSeconds((nowMs - Date.parse(timestamp)) / 1000)
}

/** `12 s`, `3 min`, `2 h`, `5 d`, rounded down. */
export function formatSeconds(exact: number): string {
  const seconds = Math.max(0, Math.floor(exact))
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? ['s', 1]
  return `${Math.floor(seconds / size)} ${unit}`
}

/** `just now`, `12 s ago`, `3 min ago` */
export function formatAge(timestamp: string, nowMs = Date.now()): string {
  const elapsed = formatElapsed(timestamp, nowMs)
  return elapsed === '0 s' ? 'just now' : `${elapsed} ago`
}

/** Local time of day: `08:00:00`. Default: now. */
export function formatTimeOfDay(timestamp: string | number = Date.now()): string {
  return new Date(timestamp).toTimeString().slice(0, 8)
}
