import './log.css'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { HostingError } from '../../../shared/errors.ts'
import type { Query } from '../../api/client.ts'
import { follow, type StreamState } from '../../api/follow.ts'
import { followToEnd } from '../../api/follow-to-end.ts'
import { Delayed, Loading, Problem } from '../loaded.tsx'
import { RowBuffer } from '../rows/row-buffer.ts'
import type { FieldFilter } from './line-details.tsx'
import { StreamStatus } from './log-status.tsx'
import type { LogLine } from './log-text.ts'
import { LogView } from './log-view.tsx'

const MAX_LINES = 100_000

interface LiveLogProps {
  path: string
  query?: Query
  /** Shown while the log has no lines. */
  empty: string
  /** Lines show the phase that they belong to. */
  hasPhases?: boolean
  fieldFilter?: FieldFilter
  onLine?(line: LogLine): void
  /** Returns true for the last line of the log. Without this function, the log has no end. */
  isLast?(line: LogLine): boolean
}

/** A log as it is being written. Each log needs its own component. */
export function LiveLog({ path, query = {}, empty, hasPhases, fieldFilter, onLine, isLast }: LiveLogProps) {
  const buffer = useMemo(() => new RowBuffer<LogLine>(MAX_LINES), [])
  const state = useSignal<StreamState>('connecting')
  const error = useSignal<HostingError | undefined>(undefined)
  const isPaused = useSignal(false)
  useEffect(() => {
    const controller = new AbortController()
    const options = {
      query,
      signal: controller.signal,
      isPaused,
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
  return (
    <>
      {!isLast && <StreamStatus state={state.value} isPaused={isPaused} />}
      {buffer.count > 0 ? (
        <LogView buffer={buffer} hasPhases={hasPhases} fieldFilter={fieldFilter} />
      ) : state.value === 'open' ? (
        <NoLines text={empty} />
      ) : (
        <Loading what="the log" />
      )}
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
