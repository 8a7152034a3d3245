/** `0.09 ms`, `4.2 ms`, `120 ms`, `3.4 s` */
export function formatMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  if (ms >= 100) return `${Math.round(ms)} ms`
  return `${ms.toFixed(ms >= 1 ? 1 : 2)} ms`
}

/** `64 MiB` */
export function formatMemory(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MiB`
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** `310 B`, `4.2 KiB`, `100 MiB`. Uses powers of 1024, as the limits do. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0]
  // The next unit starts where rounding would show 1024 of this one.
  for (; value >= 1023.5 && unit < BYTE_UNITS.length - 1; unit++) value /= 1024
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[unit]}`
}

/** `0 %`, `0.4 %`, `12 %`. A positive share is never shown as zero. */
export function formatPercent(share: number): string {
  const percent = share * 100
  if (percent === 0) return '0 %'
  if (percent < 0.1) return '<0.1 %'
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`
}

/** `0`, `0.04`, `2.5`, `1,200` */
export function formatRate(rate: number): string {
  if (rate === 0 || rate >= 10) return Math.round(rate).toLocaleString('en')
  return rate.toFixed(rate < 0.1 ? 2 : 1)
}

const BARS = '▁▂▃▄▅▆▇█'

/** One character per value, scaled to the maximum. Zero is a space. */
export function sparkline(values: readonly number[]): string {
  const max = Math.max(...values)
  return values.map(value => (value > 0 ? BARS[Math.ceil((value / max) * BARS.length) - 1] : ' ')).join('')
}
