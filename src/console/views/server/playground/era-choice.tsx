import type { Era } from '../../../mcp/connection.ts'
import type { Connected, Playground } from './playground.ts'

const ERAS: Record<Era, string> = {
  modern: '2026-07-28, without sessions',
  legacy: '2025-11-25, with a session',
}

/** Protocol in use. Both eras can be tried, because clients use both. */
export function EraChoice({
  playground,
  connected: { connection },
}: {
  playground: Playground
  connected: Connected
}) {
  return (
    <label class="pg-line">
      <span class="muted">Protocol</span>
      <select
        class="input"
        title={`Connected with ${connection.version}`}
        value={playground.era.value ?? ''}
        onChange={event => playground.chooseEra((event.currentTarget.value || undefined) as Era | undefined)}
      >
        <option value="">newest{playground.era.value === undefined && ` (${connection.version})`}</option>
        {Object.entries(ERAS).map(([era, text]) => (
          <option key={era} value={era}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
