import { shown, Text } from '../../../components/text.tsx'
import { Time } from '../../../components/time.tsx'
import { navigate } from '../../../router/router.ts'
import type { Call } from './call.ts'
import { OutcomeState } from './call-panel.tsx'
import { entryPath, type Place } from './place.ts'
import type { Playground } from './playground.ts'

/** Calls since the page was loaded, newest first. */
export function CallHistory({ playground, place }: { playground: Playground; place: Place }) {
  const calls = playground.calls.value
  if (calls.length === 0) return null
  return (
    <section class="section" aria-labelledby="pg-history">
      <h2 id="pg-history">Calls</h2>
      <ol class="pg-history">
        {calls.map(call => (
          <Row key={call.id} call={call} playground={playground} place={place} />
        ))}
      </ol>
    </section>
  )
}

interface RowProps {
  call: Call
  playground: Playground
  place: Place
}

function Row({ call, playground, place }: RowProps) {
  const { entry, args, byApp, outcome, startedAt } = call
  const open = () => {
    playground.chosen.value = call
    navigate(entryPath(place, entry))
  }
  return (
    <li>
      <button type="button" class="pg-link" onClick={open}>
        <span class="truncate">
          <Text value={entry.name} max={100} />
        </span>
      </button>
      {byApp !== undefined && (
        <span class="tag" title={`Called by the app of ${shown(byApp, 100)}`}>
          app
        </span>
      )}
      <code class="truncate">{shown(JSON.stringify(args), 200)}</code>
      <OutcomeState outcome={outcome.value} />
      <Time at={new Date(startedAt).toISOString()} />
    </li>
  )
}
