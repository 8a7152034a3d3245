import { shown, Text } from '../../../components/text.tsx'
import { Time } from '../../../components/time.tsx'
import { Link } from '../../../router/link.tsx'
import type { Call } from './call.ts'
import { OutcomeState } from './call-panel.tsx'
import { entryPath, type Place } from './place.ts'
import type { Playground } from './playground.ts'

/** Every call since the page was loaded, newest first. */
export function CallHistory({ playground, place }: { playground: Playground; place: Place }) {
  const calls = playground.calls.value
  if (calls.length === 0) return null
  return (
    <section class="section" aria-labelledby="pg-history">
      <h2 id="pg-history">Calls</h2>
      <ol class="pg-history">
        {calls.map(call => (
          <Row key={call.id} call={call} place={place} />
        ))}
      </ol>
    </section>
  )
}

function Row({ call: { entry, args, outcome, startedAt }, place }: { call: Call; place: Place }) {
  return (
    <li>
      <Link to={entryPath(place, entry)} class="truncate">
        <Text value={entry.name} max={100} />
      </Link>
      <code class="truncate">{shown(JSON.stringify(args), 200)}</code>
      <OutcomeState outcome={outcome.value} />
      <Time at={new Date(startedAt).toISOString()} />
    </li>
  )
}
