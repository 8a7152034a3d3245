import { LOG_LEVELS } from '../../../../shared/contract/states.ts'
import { QueryChoice, QueryFilter } from '../../../components/filters/query-filter.tsx'

const LEVELS = LOG_LEVELS.slice(1).map(
  level => [level, level === 'error' ? 'Errors' : `${level} and above`] as const,
)

export function LogFilters() {
  return (
    <search class="filters">
      <QueryChoice name="level" label="Level" choices={[['', 'All levels'], ...LEVELS]} />
      <QueryFilter name="text" label="Text in log lines" placeholder="Contains…" />
    </search>
  )
}
