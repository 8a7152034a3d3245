import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formatDurationMs } from '../../shared/duration.ts'
import { formatAge, formatSeconds } from '../../shared/format/relative-time.ts'

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

const SECOND_MS = 1000

/** Duration between two times. Without `to`, the duration since `from`, updated every second. */
export function Duration({ from, to }: { from: string; to: string }) {
  const nowMs = useSignal(Date.now())
  useEffect(() => {
    if (to !== '') return
    const timer = setInterval(() => {
      nowMs.value = Date.now()
    }, SECOND_MS)
    return () => clearInterval(timer)
  }, [to])
  const start = Date.parse(from)
  return (
    <>
      {to === ''
        ? formatSeconds((nowMs.value - start) / SECOND_MS)
        : formatDurationMs(Date.parse(to) - start)}
    </>
  )
}
