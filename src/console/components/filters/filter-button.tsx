import { type QueryChanges, setQuery } from '../../router/router.ts'
import { Text } from '../text.tsx'

interface FilterButtonProps {
  value: string
  filters: QueryChanges
  /** Name of the rows. */
  what: string
}

/** A value of a row that becomes a filter. */
export function FilterButton({ value, filters, what }: FilterButtonProps) {
  return (
    <button type="button" class="only" title={`Show only these ${what}`} onClick={() => setQuery(filters)}>
      <Text value={value} max={100} />
    </button>
  )
}
