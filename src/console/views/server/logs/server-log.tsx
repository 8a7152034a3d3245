import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { HostingError } from '../../../../shared/errors.ts'
import type { Query } from '../../../api/client.ts'
import { Button } from '../../../components/button.tsx'
import { Loading, Problem } from '../../../components/loaded.tsx'
import { LiveLog } from '../../../components/log/live-log.tsx'
import { LogStatus } from '../../../components/log/log-status.tsx'
import type { LogLine } from '../../../components/log/log-text.ts'
import { LogView } from '../../../components/log/log-view.tsx'
import { RowBuffer } from '../../../components/rows/row-buffer.ts'
import { State } from '../../../components/state.tsx'
import { setQuery, query as urlQuery } from '../../../router/router.ts'
import { linesAround } from './lines-around.ts'
import { logFieldFilter } from './log-query.ts'

interface ServerLogProps {
  path: string
  query: Query
  /** True when a filter is active. */
  hasFilter: boolean
}

/** Source of the lines: the live log, or the lines around an older line. */
interface Source {
  state: 'searching' | 'live' | 'past'
  lines?: readonly LogLine[]
  /** The line that the URL names was not found. */
  isMissing?: boolean
}

/** The log of a server: the lines around the one that the URL names if it is far from the end, and the live log otherwise. */
export function ServerLog({ path, query, hasFilter }: ServerLogProps) {
  const key = useMemo(() => urlQuery.peek().get('line'), [])
  const source = useSignal<Source>({ state: key === null ? 'live' : 'searching' })
  const error = useSignal<HostingError | undefined>(undefined)
  useEffect(() => {
    if (key === null) return
    const controller = new AbortController()
    linesAround(path, query, key, controller.signal).then(
      ({ lines, isFound, hasMore }) => {
        source.value = isFound && hasMore ? { state: 'past', lines } : { state: 'live', isMissing: !isFound }
      },
      (cause: HostingError) => {
        if (!controller.signal.aborted) error.value = cause
      },
    )
    return () => controller.abort()
  }, [])
  if (error.value) return <Problem error={error.value} />
  const { state, lines, isMissing } = source.value
  if (state === 'searching') return <Loading what="the log" />
  if (state === 'past') {
    const showNewest = () => {
      setQuery({ line: undefined })
      source.value = { state: 'live' }
    }
    return <PastLog lines={lines!} onNewest={showNewest} />
  }
  return (
    <>
      {isMissing && urlQuery.value.get('line') === key && <MissingLine hasFilter={hasFilter} />}
      <LiveLog
        path={path}
        query={query}
        fieldFilter={logFieldFilter}
        empty={
          hasFilter
            ? 'No matching lines. New ones appear here.'
            : 'No lines yet. They appear here as they are written.'
        }
      />
    </>
  )
}

function PastLog({ lines, onNewest }: { lines: readonly LogLine[]; onNewest(): void }) {
  const buffer = useMemo(() => {
    const filled = new RowBuffer<LogLine>(lines.length)
    filled.addOlder(lines.toReversed())
    return filled
  }, [lines])
  return (
    <>
      <LogStatus>
        <span role="status">
          <State
            value="older lines"
            title="These lines are around the selected one. New lines do not appear."
          />
        </span>
        <Button kind="quiet" icon="down" onClick={onNewest}>
          Show the newest
        </Button>
      </LogStatus>
      <LogView buffer={buffer} fieldFilter={logFieldFilter} />
    </>
  )
}

function MissingLine({ hasFilter }: { hasFilter: boolean }) {
  return (
    <p class="log-missing" role="status">
      {hasFilter
        ? 'The selected line does not match the filters, or it no longer exists.'
        : 'The selected line no longer exists. Its log was removed.'}
      <Button kind="quiet" icon="close" label="Dismiss" onClick={() => setQuery({ line: undefined })} />
    </p>
  )
}
