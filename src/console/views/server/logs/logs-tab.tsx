import './logs.css'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { HostingError } from '../../../../shared/errors.ts'
import { follow, type StreamState } from '../../../api/follow.ts'
import { Delayed, Loading, Problem } from '../../../components/loaded.tsx'
import { query, setQuery } from '../../../router/router.ts'
import type { TabProps } from '../tab-props.ts'
import { LineDetails } from './line-details.tsx'
import { LogBuffer } from './log-buffer.ts'
import { LogFilters } from './log-filters.tsx'
import { LogList } from './log-list.tsx'
import type { LogLine } from './log-text.ts'

/** Lines before the ones that are written from now on. */
const OLDER_LINES = 10_000
const TYPING_MS = 250

/** The log of a server across its releases, live. Filters are part of the address. */
export function LogsTab({ name, environment }: TabProps) {
  const level = query.value.get('level') ?? undefined
  const text = query.value.get('text') ?? undefined
  const timer = useRef(0)
  const onText = (value: string) => {
    clearTimeout(timer.current)
    timer.current = window.setTimeout(() => setQuery({ text: value }), TYPING_MS)
  }
  return (
    <>
      <LogFilters level={level} text={text} onLevel={value => setQuery({ level: value })} onText={onText} />
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
  const buffer = useMemo(() => new LogBuffer(), [])
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
  if (buffer.size.value === 0)
    return state.value === 'open' ? (
      <NoLines hasFilter={Boolean(level ?? text)} />
    ) : (
      <Loading what="the log" />
    )
  const line = selected.value === undefined ? undefined : buffer.at(selected.value - buffer.removed)
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
          ? 'No line matches. New lines that match appear here.'
          : 'No lines yet. They appear here as they are written.'}
      </p>
    </Delayed>
  )
}
