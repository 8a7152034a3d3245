import './requests.css'
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { RequestRecordItem } from '../../../../shared/contract/monitoring/requests.ts'
import type { Query } from '../../../api/client.ts'
import { Button } from '../../../components/button.tsx'
import { Loading, Problem } from '../../../components/loaded.tsx'
import { RowList } from '../../../components/rows/row-list.tsx'
import { query, setQuery } from '../../../router/router.ts'
import type { PlaceProps } from '../tab-props.ts'
import { RequestDetail } from './request-detail.tsx'
import { useRequestFeed } from './request-feed.ts'
import { RequestFiltersBar } from './request-filters.tsx'
import { readFilters, toQuery } from './request-query.ts'
import { RequestRow } from './request-row.tsx'

/** As in requests.css. */
const ROW_HEIGHT = 32

/** Requests to a server in an environment, live. Filters and the open request are part of the URL. */
export function RequestsTab({ name, environment }: PlaceProps) {
  const attempt = useSignal(0)
  const filters = readFilters(query.value)
  const key = JSON.stringify([filters, attempt.value])
  const wanted = useMemo(() => toQuery(filters, name, environment), [key])
  const open = query.value.get('request')
  return (
    <>
      <RequestFiltersBar wanted={wanted} filters={filters} server={name} />
      <div class={open === null ? 'requests' : 'requests open'}>
        <Requests
          key={key}
          wanted={wanted}
          hasFilter={Object.keys(filters).length > 0}
          open={open}
          onRetry={() => attempt.value++}
        />
        {open !== null && <RequestDetail key={open} id={open} />}
      </div>
    </>
  )
}

interface RequestsProps {
  wanted: Query
  hasFilter: boolean
  /** Id of the open request. */
  open: string | null
  onRetry(): void
}

function Requests({ wanted, hasFilter, open, onRetry }: RequestsProps) {
  const { buffer, isLoaded, error, older } = useRequestFeed(wanted)
  // A changed buffer renders the list, also the first time.
  void buffer.version.value
  if (error) return <Problem error={error} onRetry={onRetry} />
  if (!isLoaded) return <Loading what="the requests" />
  if (buffer.count === 0) return <NoRequests hasFilter={hasFilter} />
  return (
    <div class="requests-list">
      <RowList<RequestRecordItem>
        label="Requests"
        buffer={buffer}
        rowHeight={ROW_HEIGHT}
        newest="first"
        selected={buffer.numberOf(({ id }) => id === open)}
        onSelect={number => setQuery({ request: buffer.at(number)!.id })}
        classOf={() => 'request-row'}
        content={record => <RequestRow record={record} />}
      />
      {older && (
        <Button busy={older.isRunning} onClick={() => void older.run()}>
          Show older requests
        </Button>
      )}
      {older?.error && <Problem error={older.error} />}
    </div>
  )
}

function NoRequests({ hasFilter }: { hasFilter: boolean }) {
  return (
    <p class="muted" role="status">
      {hasFilter
        ? 'No matching requests. New ones appear here.'
        : 'No requests yet. They appear here as clients send them.'}
    </p>
  )
}
