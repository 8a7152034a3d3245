import { Text } from '../../../components/text.tsx'
import { CallHistory } from './call-history.tsx'
import { EraChoice } from './era-choice.tsx'
import type { Place } from './place.ts'
import type { Connected, Playground } from './playground.ts'

interface ServerProps {
  playground: Playground
  connected: Connected
  place: Place
}

/** Description of the server, shown while no entry is selected. */
export function ServerPanel({ playground, connected, place }: ServerProps) {
  const { name, instructions } = connected.connection
  return (
    <>
      <section class="pg-card" aria-labelledby="pg-server">
        <h2 id="pg-server">
          <Text value={name ?? 'Unnamed server'} max={200} />
        </h2>
        <EraChoice playground={playground} connected={connected} />
        {instructions !== undefined && (
          <p class="pg-description">
            <Text value={instructions} max={10_000} />
          </p>
        )}
        {connected.catalog.entries.length > 0 && (
          <p class="muted">Choose an entry from the list to use it. The arrow keys move through the list.</p>
        )}
      </section>
      <CallHistory playground={playground} place={place} />
    </>
  )
}
