import { REQUEST_OUTCOMES } from '../../../../shared/contract/states.ts'
import { type Query, send } from '../../../api/client.ts'
import { useAction } from '../../../components/action.ts'
import { Button } from '../../../components/button.tsx'
import { QueryChoice, QueryFilter } from '../../../components/filters/query-filter.tsx'
import { notifyError } from '../../../components/notices.tsx'
import { saveFile } from '../../../components/save-file.ts'
import { shown } from '../../../components/text.tsx'
import { setQuery } from '../../../router/router.ts'
import { PERIODS, type RequestFilters } from './request-query.ts'

const OUTCOMES = [
  ['', 'All outcomes'],
  ['failed', 'All except ok'],
  ...REQUEST_OUTCOMES.map(outcome => [outcome, `Only ${outcome}`] as const),
] as const

const TIMES = [
  ['', 'All times'],
  ...Object.entries(PERIODS).map(([value, [text]]) => [value, text] as const),
] as const

/** As many requests as the API exports. */
const MAX_EXPORTED = 1000

interface FiltersProps {
  wanted: Query
  filters: RequestFilters
  server: string
}

export function RequestFiltersBar({ wanted, filters, server }: FiltersProps) {
  return (
    <search class="filters">
      <QueryFilter name="text" label="Text in requests" placeholder="Contains…" />
      <QueryChoice name="outcome" label="Outcome" choices={OUTCOMES} />
      <QueryChoice name="since" label="Time" choices={TIMES} />
      {(['method', 'tool', 'session', 'caller'] as const).map(
        name =>
          filters[name] !== undefined && (
            <Button key={name} icon="close" onClick={() => setQuery({ [name]: undefined })}>
              <span class="hidden">Remove filter: </span>
              {name} <bdi>{shown(filters[name], 40)}</bdi>
            </Button>
          ),
      )}
      <Export wanted={wanted} server={server} />
    </search>
  )
}

function Export({ wanted, server }: { wanted: Query; server: string }) {
  const action = useAction(async () => {
    try {
      const response = await send('GET', '/api/requests/export', {
        query: { ...wanted, limit: MAX_EXPORTED },
      })
      saveFile(`${server}.har`, await response.blob())
    } catch (error) {
      notifyError(error as Error)
    }
  })
  return (
    <Button icon="down" class="last" busy={action.isRunning} onClick={() => void action.run()}>
      Export<span class="hidden"> the newest {MAX_EXPORTED} as an HTTP archive</span>
    </Button>
  )
}
