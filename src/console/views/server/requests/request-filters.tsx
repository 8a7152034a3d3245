import { REQUEST_OUTCOMES } from '../../../../shared/contract/states.ts'
import { type Query, send } from '../../../api/client.ts'
import { useAction } from '../../../components/action.ts'
import { Button } from '../../../components/button.tsx'
import { FieldFilters } from '../../../components/filters/field-filters.tsx'
import { QueryChoice, QueryFilter } from '../../../components/filters/query-filter.tsx'
import { TimeFilter } from '../../../components/filters/time-filter.tsx'
import { notifyError } from '../../../components/notices.tsx'
import { saveFile } from '../../../components/save-file.ts'
import { ALL_REQUESTS, FIELD_FILTERS } from './request-query.ts'

const OUTCOMES = [
  ['', 'All outcomes'],
  ['failed', 'All except ok'],
  ...REQUEST_OUTCOMES.map(outcome => [outcome, `Only ${outcome}`] as const),
] as const

const SHOWN = [
  ['', 'Calls and errors'],
  [ALL_REQUESTS, 'All requests'],
] as const

/** Maximum number of requests that the API exports. */
const MAX_EXPORTED = 1000

interface FiltersProps {
  wanted: Query
  server: string
}

export function RequestFiltersBar({ wanted, server }: FiltersProps) {
  return (
    <search class="filters">
      <QueryFilter name="text" label="Text in requests" placeholder="Contains…" />
      <QueryChoice name="show" label="Kind of request" choices={SHOWN} />
      <QueryChoice name="outcome" label="Outcome" choices={OUTCOMES} />
      <TimeFilter />
      <FieldFilters fields={FIELD_FILTERS} />
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
