import { LOG_LEVELS } from '../../../../shared/contract/states.ts'

interface LogFiltersProps {
  level: string | undefined
  text: string | undefined
  onLevel(level: string | undefined): void
  onText(text: string): void
}

export function LogFilters({ level, text, onLevel, onText }: LogFiltersProps) {
  return (
    <search class="log-filters">
      <select
        class="input"
        aria-label="Level"
        value={level ?? ''}
        onChange={event => onLevel(event.currentTarget.value || undefined)}
      >
        <option value="">All levels</option>
        {LOG_LEVELS.slice(1).map(one => (
          <option key={one} value={one}>
            {one === 'error' ? 'Errors' : `${one} and above`}
          </option>
        ))}
      </select>
      <input
        class="input"
        type="search"
        aria-label="Text that lines contain"
        placeholder="Contains…"
        maxLength={200}
        defaultValue={text}
        onInput={event => onText(event.currentTarget.value)}
      />
    </search>
  )
}
