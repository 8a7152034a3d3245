import './logs.css'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { HostingError } from '../../../../shared/errors.ts'
import { follow, type StreamState } from '../../../api/follow.ts'
import { Delayed, Loading, Problem } from '../../../components/loaded.tsx'
import { RowBuffer } from '../../../components/rows/row-buffer.ts'
import { query } from '../../../router/router.ts'
import type { TabProps } from '../tab-props.ts'
import { LineDetails } from './line-details.tsx'
import { LogFilters } from './log-filters.tsx'
import { LogList } from './log-list.tsx'
import type { LogLine } from './log-text.ts'

/** Number of existing lines that are loaded before new ones. */
const OLDER_LINES = 10_000
const MAX_LINES = 100_000

/** The log of a server across its releases, live. Filters are part of the URL. */
export function LogsTab({ name, environment }: TabProps) {
  const level = query.value.get('level') ?? undefined
  const text = query.value.get('text') ?? undefined
  return (
    <>
      <LogFilters />
      <Log key={`${level} ${text}`} name={name} environment={environment} level={level} text={text} />
    </>
  )
}

interface LogProps {
  name: string
  environment: string
  level: string | undefined
  text: string | undefined
}

function Log({ name, environment, level, text }: LogProps) {
  const buffer = useMemo(() => new RowBuffer<LogLine>(MAX_LINES), [])
  const state = useSignal<StreamState>('connecting')
  const error = useSignal<HostingError | undefined>(undefined)
  const selected = useSignal<number | undefined>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    void follow<LogLine>(`/api/servers/${encodeURIComponent(name)}/logs`, {
      query: { environment, level, grep: text, tail: OLDER_LINES },
      signal: controller.signal,
      onEvent: line => buffer.add(line),
      onState: next => {
        state.value = next
      },
      onRefused: refused => {
        error.value = refused
      },
    })
    return () => controller.abort()
  }, [])
  if (error.value) return <Problem error={error.value} />
  void buffer.version.value
  if (buffer.count === 0)
    return state.value === 'open' ? (
      <NoLines hasFilter={Boolean(level ?? text)} />
    ) : (
      <Loading what="the log" />
    )
  const line = selected.value === undefined ? undefined : buffer.at(selected.value)
  return (
    <>
      <LogList
        buffer={buffer}
        selected={selected.value}
        onSelect={number => {
          selected.value = number
        }}
      />
      {line && (
        <LineDetails
          line={line}
          onClose={() => {
            selected.value = undefined
          }}
        />
      )}
    </>
  )
}

function NoLines({ hasFilter }: { hasFilter: boolean }) {
  return (
    <Delayed>
      <p class="muted" role="status">
        {hasFilter
          ? 'No matching lines. New ones appear here.'
          : 'No lines yet. They appear here as they are written.'}
      </p>
    </Delayed>
  )
}
