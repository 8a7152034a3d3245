import './log.css'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { HostingError } from '../../../shared/errors.ts'
import type { Query } from '../../api/client.ts'
import { follow, type StreamState } from '../../api/follow.ts'
import { followToEnd } from '../../api/follow-to-end.ts'
import { Delayed, Loading, Problem } from '../loaded.tsx'
import { RowBuffer } from '../rows/row-buffer.ts'
import { LineDetails } from './line-details.tsx'
import { LogList } from './log-list.tsx'
import type { LogLine } from './log-text.ts'

const MAX_LINES = 100_000

interface LiveLogProps {
  path: string
  query?: Query
  /** Shown while the log has no lines. */
  empty: string
  /** Lines show the phase that they belong to. */
  hasPhases?: boolean
  onLine?(line: LogLine): void
  /** Whether a line is the last one of the log. Without it, the log has no end. */
  isLast?(line: LogLine): boolean
}

/** A log as it is written, with the details of the selected line. Expects a component per log. */
export function LiveLog({ path, query = {}, empty, hasPhases, onLine, isLast }: LiveLogProps) {
  const buffer = useMemo(() => new RowBuffer<LogLine>(MAX_LINES), [])
  const state = useSignal<StreamState>('connecting')
  const error = useSignal<HostingError | undefined>(undefined)
  const selected = useSignal<number | undefined>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    const options = {
      query,
      signal: controller.signal,
      onEvent(line: LogLine) {
        buffer.add(line)
        onLine?.(line)
      },
      onState(next: StreamState) {
        state.value = next
      },
      onRefused(refused: HostingError) {
        error.value = refused
      },
    }
    void (isLast ? followToEnd(path, { ...options, isLast }) : follow(path, options))
    return () => controller.abort()
  }, [])
  if (error.value) return <Problem error={error.value} />
  void buffer.version.value
  if (buffer.count === 0)
    return state.value === 'open' ? <NoLines text={empty} /> : <Loading what="the log" />
  const line = selected.value === undefined ? undefined : buffer.at(selected.value)
  const select = (number: number | undefined) => {
    selected.value = number
  }
  return (
    <>
      <LogList buffer={buffer} hasPhases={hasPhases} selected={selected.value} onSelect={select} />
      {line && <LineDetails line={line} onClose={() => select(undefined)} />}
    </>
  )
}

function NoLines({ text }: { text: string }) {
  return (
    <Delayed>
      <p class="muted" role="status">
        {text}
      </p>
    </Delayed>
  )
}
