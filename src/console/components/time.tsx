import { signal } from '@preact/signals'
import { formatAge } from '../../shared/format/relative-time.ts'

const TICK_MS = 10_000

/** Shared by all times on the page, so that they change together. */
const now = signal(Date.now())
setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, TICK_MS)

/** `3 min ago`, with the full time as its title. */
export function Time({ at }: { at: string }) {
  const full = new Date(at).toLocaleString()
  return (
    <time dateTime={at} title={full}>
      {formatAge(at, Math.max(now.value, Date.parse(at)))}
    </time>
  )
}
