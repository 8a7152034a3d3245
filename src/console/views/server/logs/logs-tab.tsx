import { LiveLog } from '../../../components/log/live-log.tsx'
import { query } from '../../../router/router.ts'
import type { TabProps } from '../tab-props.ts'
import { LogFilters } from './log-filters.tsx'

/** Number of existing lines that are loaded before new ones. */
const OLDER_LINES = 10_000

/** The log of a server across its releases, live. Filters are part of the URL. */
export function LogsTab({ name, environment }: TabProps) {
  const level = query.value.get('level') ?? undefined
  const text = query.value.get('text') ?? undefined
  return (
    <>
      <LogFilters />
      <LiveLog
        key={`${level} ${text}`}
        path={`/api/servers/${encodeURIComponent(name)}/logs`}
        query={{ environment, level, grep: text, tail: OLDER_LINES }}
        empty={
          (level ?? text)
            ? 'No matching lines. New ones appear here.'
            : 'No lines yet. They appear here as they are written.'
        }
      />
    </>
  )
}
