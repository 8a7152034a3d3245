const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** `just now`, `12 s ago`, `3 min ago`, `2 h ago`, `5 d ago` */
export function formatAge(timestamp: string, nowMs = Date.now()): string {
  const seconds = Math.floor((nowMs - Date.parse(timestamp)) / 1000)
  const unit = UNITS.find(([, size]) => seconds >= size)
  return unit ? `${Math.floor(seconds / unit[1])} ${unit[0]} ago` : 'just now'
}

/** Local time of day: `08:00:00`. */
export function formatTimeOfDay(timestamp: string): string {
  return new Date(timestamp).toTimeString().slice(0, 8)
}
