import { useSignal } from '@preact/signals'
import { query, setQuery } from '../../router/router.ts'
import { bound } from '../bound.ts'
import { Button } from '../button.tsx'
import { shown } from '../text.tsx'

interface FieldFiltersProps {
  /** Query parameters, which are also the names of the fields. */
  fields: readonly string[]
}

/** Filters by the exact value of a field: the active ones, and a control that adds another. They are part of the URL. */
export function FieldFilters({ fields }: FieldFiltersProps) {
  const applied = fields.filter(field => query.value.get(field))
  const others = fields.filter(field => !applied.includes(field))
  return (
    <>
      {applied.map(field => (
        <Button key={field} icon="close" onClick={() => setQuery({ [field]: undefined })}>
          <span class="hidden">Remove filter: </span>
          {field} <bdi>{shown(query.value.get(field)!, 40)}</bdi>
        </Button>
      ))}
      {others.length > 0 && <AddFilter fields={others} />}
    </>
  )
}

function AddFilter({ fields }: FieldFiltersProps) {
  const field = useSignal('')
  const value = useSignal('')
  const apply = (event: Event) => {
    event.preventDefault()
    setQuery({ [field.value]: value.value.trim() })
    field.value = value.value = ''
  }
  return (
    <form class="add-filter" onSubmit={apply}>
      <select class="input" aria-label="Add a filter" {...bound(field)}>
        <option value="">Filter by…</option>
        {fields.map(name => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {field.value !== '' && (
        <>
          <input
            class="input"
            aria-label={`Value of ${field.value}`}
            required
            maxLength={200}
            spellcheck={false}
            {...bound(value)}
          />
          <Button type="submit">Apply</Button>
        </>
      )}
    </form>
  )
}
