import { HostingError } from './errors.ts'

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** `90s`, `10m`, `1.5h`, `7d` → milliseconds. Throws INVALID_REQUEST for anything else. */
export function parseDurationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text.trim())
  if (!match)
    throw new HostingError(
      'INVALID_REQUEST',
      `"${text}" is not a duration. Use for example 90s, 10m, 24h or 7d.`,
    )
  return Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]
}

/** Human-readable duration: `340 ms`, `2.1 s`, `5 min`, `3 h`, `12 d`. */
export function formatDurationMs(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 86_400_000) return `${Math.round(ms / 3_600_000)} h`
  return `${Math.round(ms / 86_400_000)} d`
}

/** Milliseconds → seconds with millisecond precision, for the contract's `*_time` fields. */
export function toSeconds(ms: number): number {
  return Math.round(ms) / 1000
}
