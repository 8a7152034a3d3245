import './requests.css'
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { RequestRecordItem } from '../../../../shared/contract/monitoring/requests.ts'
import type { Query } from '../../../api/client.ts'
import { Button } from '../../../components/button.tsx'
import { readFilters } from '../../../components/filters/read-filters.ts'
import { Loading, Problem } from '../../../components/loaded.tsx'
import { RowList } from '../../../components/rows/row-list.tsx'
import { openInQuery, query, setQuery } from '../../../router/router.ts'
import type { PlaceProps } from '../tab-props.ts'
import { RequestDetail } from './request-detail.tsx'
import { useRequestFeed } from './request-feed.ts'
import { RequestFiltersBar } from './request-filters.tsx'
import { ALL_REQUESTS, REQUEST_FILTERS, type RequestFilters, toQuery } from './request-query.ts'
import { RequestHead, RequestRow } from './request-row.tsx'

/** Must match requests.css. */
const ROW_HEIGHT = 32

/** Requests to a server in an environment, live. Filters and the open request are part of the URL. */
export function RequestsTab({ name, environment }: PlaceProps) {
  const attempt = useSignal(0)
  const filters = readFilters(query.value, REQUEST_FILTERS)
  const key = JSON.stringify([filters, attempt.value])
  const wanted = useMemo(() => toQuery(filters, name, environment), [key])
  const open = query.value.get('request')
  return (
    <>
      <RequestFiltersBar wanted={wanted} server={name} />
      <div class={open === null ? 'requests' : 'requests open'}>
        <Requests key={key} wanted={wanted} filters={filters} open={open} onRetry={() => attempt.value++} />
        {open !== null && <RequestDetail key={open} id={open} />}
      </div>
    </>
  )
}

interface RequestsProps {
  wanted: Query
  filters: RequestFilters
  /** Id of the open request. */
  open: string | null
  onRetry(): void
}

function Requests({ wanted, filters, open, onRetry }: RequestsProps) {
  const { buffer, isLoaded, error, older } = useRequestFeed(wanted)
  // Reading the version renders the list after every change of the buffer, including the first.
  void buffer.version.value
  if (error) return <Problem error={error} onRetry={onRetry} />
  if (!isLoaded) return <Loading what="the requests" />
  if (buffer.count === 0) return <NoRequests filters={filters} />
  return (
    <div class="requests-list">
      <RowList<RequestRecordItem>
        label="Requests"
        buffer={buffer}
        rowHeight={ROW_HEIGHT}
        newest="first"
        selected={buffer.numberOf(({ id }) => id === open)}
        onSelect={number => openInQuery('request', buffer.at(number)!.id)}
        classOf={() => 'request-row'}
        head={<RequestHead />}
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

function NoRequests({ filters: { show, ...filters } }: { filters: RequestFilters }) {
  const isAll = show === ALL_REQUESTS
  const what = isAll ? 'requests' : 'calls'
  return (
    <div class="no-requests">
      <p class="muted" role="status">
        {Object.keys(filters).length > 0
          ? `No matching ${what}. New ones appear here.`
          : `No ${what} yet. They appear here as clients send them.`}
      </p>
      {!isAll && (
        <Button kind="quiet" class="only" onClick={() => setQuery({ show: ALL_REQUESTS })}>
          Show handshakes, lists and pings, too
        </Button>
      )}
    </div>
  )
}
