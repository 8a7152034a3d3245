import { query, setQuery } from '../../router/router.ts'
import { isoTime, localTime, PERIODS } from './time-range.ts'

const CUSTOM = 'custom'
const HOUR_MS = 3600_000

const CHOICES = [
  ['', 'All times'],
  ...Object.entries(PERIODS).map(([value, [text]]) => [value, text] as const),
  [CUSTOM, 'From … until …'],
] as const

/** Period or time range that is part of the URL, as `since` and `until`. */
export function TimeFilter() {
  const since = query.value.get('since') ?? ''
  const isCustom = !(since === '' || since in PERIODS) || query.value.has('until')
  const choose = (value: string) =>
    setQuery({
      since: value === CUSTOM ? new Date(Date.now() - HOUR_MS).toISOString() : value,
      until: undefined,
    })
  return (
    <>
      <select
        class="input"
        aria-label="Time"
        value={isCustom ? CUSTOM : since}
        onChange={event => choose(event.currentTarget.value)}
      >
        {CHOICES.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {isCustom && (
        <>
          <TimeField name="since" label="From" />
          <TimeField name="until" label="Until" />
        </>
      )}
    </>
  )
}

function TimeField({ name, label }: { name: string; label: string }) {
  return (
    <label class="time-field">
      {label}
      <input
        class="input"
        type="datetime-local"
        value={localTime(query.value.get(name) ?? undefined)}
        onChange={event => setQuery({ [name]: isoTime(event.currentTarget.value) })}
      />
    </label>
  )
}
