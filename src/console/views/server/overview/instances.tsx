import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { DeploymentStatus } from '../../../../shared/contract/deployments/deployments.ts'
import type { InstanceReport } from '../../../../shared/contract/monitoring/health-reports.ts'
import type { LiveMetrics } from '../../../../shared/contract/monitoring/metrics.ts'
import type { HostingError } from '../../../../shared/errors.ts'
import { formatMemory, formatMs, formatPercent } from '../../../../shared/format/metric-format.ts'
import { formatSeconds } from '../../../../shared/format/relative-time.ts'
import { follow } from '../../../api/follow.ts'
import { Loaded } from '../../../components/loaded.tsx'
import { State } from '../../../components/state.tsx'
import { type Column, Table } from '../../../components/table.tsx'
import { Text } from '../../../components/text.tsx'

const INTERVAL_SECONDS = 2

const COLUMNS: readonly Column<InstanceReport>[] = [
  { name: 'Instance', kind: 'head', wide: true, cell: ({ id }) => <span class="mono">{id}</span> },
  { name: 'State', cell: ({ state }) => <State value={state} /> },
  {
    name: 'Uptime',
    kind: 'number',
    cell: ({ uptimeSeconds }) => formatSeconds(uptimeSeconds),
  },
  { name: 'Memory', kind: 'number', cell: ({ memoryBytes }) => formatMemory(memoryBytes) },
  { name: 'In progress', kind: 'number', cell: ({ activeRequests }) => activeRequests },
  { name: 'Requests', kind: 'number', cell: ({ requests }) => requests?.total ?? '–' },
  {
    name: 'Errors',
    kind: 'number',
    cell: ({ requests }) => (requests?.total ? formatPercent(requests.errorRate) : '–'),
  },
  { name: 'p99', kind: 'number', cell: ({ requests }) => (requests?.total ? formatMs(requests.p99Ms) : '–') },
  {
    name: 'Restarts',
    kind: 'number',
    cell: ({ restarts, lastFailure }) =>
      lastFailure ? <Restarts count={restarts} reason={lastFailure} /> : restarts,
  },
]

function Restarts({ count, reason }: { count: number; reason: string }) {
  return (
    <details class="restarts">
      <summary>{count}</summary>
      <Text value={reason} />
    </details>
  )
}

/** Instances of a live deployment with their figures, updated live. */
export function Instances({ deployment: { deployment_id } }: { deployment: DeploymentStatus }) {
  const instances = useSignal<readonly InstanceReport[] | undefined>(undefined)
  const error = useSignal<HostingError | undefined>(undefined)
  const attempt = useSignal(0)
  useEffect(() => {
    const controller = new AbortController()
    error.value = undefined
    void follow<LiveMetrics>('/api/metrics', {
      query: { deploymentId: deployment_id, interval: INTERVAL_SECONDS },
      signal: controller.signal,
      onEvent: ({ deployments }) => {
        instances.value = deployments[0]?.running ?? []
      },
      onState: () => {},
      onRefused: refused => {
        error.value = refused
      },
    })
    return () => controller.abort()
  }, [deployment_id, attempt.value])
  const resource = { value: instances.value, error: error.value, reload: () => attempt.value++ }
  return (
    <section class="section">
      <h2>Instances</h2>
      <Loaded resource={resource} what="the instances">
        {running =>
          running.length === 0 ? (
            <p class="muted">No instance is running. The next request starts one.</p>
          ) : (
            <Table caption="Instances" columns={COLUMNS} rows={running} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </section>
  )
}
