import { LOG_LEVELS } from '../../../../shared/contract/states.ts'
import { FieldFilters } from '../../../components/filters/field-filters.tsx'
import { QueryChoice, QueryFilter } from '../../../components/filters/query-filter.tsx'
import { TimeFilter } from '../../../components/filters/time-filter.tsx'
import { FIELD_FILTERS } from './log-query.ts'

const LEVELS = LOG_LEVELS.slice(1).map(
  level => [level, level === 'error' ? 'Errors' : `${level} and above`] as const,
)

export function LogFiltersBar() {
  return (
    <search class="filters">
      <QueryFilter name="text" label="Text in log lines" placeholder="Contains…" />
      <QueryChoice name="level" label="Level" choices={[['', 'All levels'], ...LEVELS]} />
      <TimeFilter />
      <FieldFilters fields={FIELD_FILTERS} />
    </search>
  )
}
