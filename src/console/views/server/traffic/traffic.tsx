import { useEffect, useRef } from 'preact/hooks'
import type { ServerMetrics } from '../../../../shared/contract/monitoring/metrics.ts'
import type { Environment } from '../../../../shared/contract/states.ts'
import { request } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { Button } from '../../../components/button.tsx'
import { QueryChoice } from '../../../components/filters/query-filter.tsx'
import { lazyView } from '../../../components/lazy-view.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { measuredMinute } from '../../../model/live-metrics.ts'
import { concerns } from '../../../model/servers.ts'
import { query, setQuery } from '../../../router/router.ts'
import { toSeries } from './measures.ts'
import { chosenPeriod, PERIODS, type PeriodName } from './periods.ts'

const HOUR_MS = 3_600_000

const TimeCharts = lazyView('the charts', async () =>
  import('../../../components/chart/time-charts.tsx').then(({ TimeCharts }) => TimeCharts),
)

interface TrafficProps {
  name: string
  environment: Environment
  /** Default for the period in the URL. */
  period: PeriodName
}

/** Requests, errors and latency of a server across its releases, which the charts mark. */
export function Traffic({ name, environment, period: fallback }: TrafficProps) {
  const period = chosenPeriod(fallback)
  const asTable = query.value.get('traffic') === 'table'
  const resource = useResource(`${name} ${environment} ${period.value}`, {
    load: async signal => {
      const since = new Date(Date.now() - period.hours * HOUR_MS).toISOString()
      const path = `/api/servers/${encodeURIComponent(name)}/metrics`
      const { items } = await request<ServerMetrics>('GET', path, {
        query: { environment, since, step: period.stepSeconds },
        signal,
      })
      return { hasRequests: items.some(({ requests }) => requests.total > 0), series: items.map(toSeries) }
    },
    concerns: concerns(name, ['release', 'deployment']),
  })
  useEachMinute(resource.reload)
  return (
    <section class="section">
      <div class="section-head">
        <h2>Traffic</h2>
        <div class="filters">
          <QueryChoice name="period" label="Period" choices={PERIODS.map(choiceWith(fallback))} />
          <Button aria-pressed={asTable} onClick={() => setQuery({ traffic: asTable ? undefined : 'table' })}>
            Table
          </Button>
        </div>
      </div>
      <Loaded resource={resource} what="the traffic">
        {({ hasRequests, series }) =>
          hasRequests ? (
            series.map(each => (
              <TimeCharts
                key={period.value}
                caption={`Traffic of the ${period.text.toLowerCase()}, newest first`}
                series={each}
                marked="Release"
                asTable={asTable}
              />
            ))
          ) : (
            <p class="muted">No requests in the {period.text.toLowerCase()}.</p>
          )
        }
      </Loaded>
    </section>
  )
}

/** The default has no value in the URL. */
function choiceWith(fallback: PeriodName) {
  return ({ value, text }: (typeof PERIODS)[number]) => [value === fallback ? '' : value, text] as const
}

/** Calls `reload` every minute. Uses the clock of the live figures, which stops while the page is hidden. */
function useEachMinute(reload: () => void): void {
  const minute = measuredMinute.value
  const last = useRef(minute)
  useEffect(() => {
    if (last.current !== undefined && last.current !== minute) reload()
    last.current = minute
  }, [minute])
}
