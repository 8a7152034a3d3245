import { type QueryChanges, setQuery } from '../../router/router.ts'
import { Text } from '../text.tsx'

interface FilterButtonProps {
  value: string
  filters: QueryChanges
  /** Plural noun for the rows, such as `requests`. */
  what: string
}

/** A value in a row, as a button that filters by the value. */
export function FilterButton({ value, filters, what }: FilterButtonProps) {
  return (
    <button type="button" class="only" title={`Show only these ${what}`} onClick={() => setQuery(filters)}>
      <Text value={value} max={100} />
    </button>
  )
}
