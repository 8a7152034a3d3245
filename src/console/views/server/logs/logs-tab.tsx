import { useMemo } from 'preact/hooks'
import { readFilters } from '../../../components/filters/read-filters.ts'
import { query } from '../../../router/router.ts'
import type { TabProps } from '../tab-props.ts'
import { LogFiltersBar } from './log-filters.tsx'
import { LOG_FILTERS, toLogQuery } from './log-query.ts'
import { ServerLog } from './server-log.tsx'

/** Number of existing lines that are loaded before new ones. */
const OLDER_LINES = 10_000

/** The log of a server across its releases, live. Filters and the selected line are part of the URL. */
export function LogsTab({ name, environment }: TabProps) {
  const filters = readFilters(query.value, LOG_FILTERS)
  const key = JSON.stringify(filters)
  const wanted = useMemo(() => ({ ...toLogQuery(filters, environment), tail: OLDER_LINES }), [key])
  return (
    <>
      <LogFiltersBar />
      <ServerLog
        key={key}
        path={`/api/servers/${encodeURIComponent(name)}/logs`}
        query={wanted}
        hasFilter={Object.keys(filters).length > 0}
      />
    </>
  )
}
