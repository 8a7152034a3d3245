import type { DeploymentStatus } from '../../../shared/contract/deployments/deployments.ts'
import { formatMs, formatPercent, formatRate } from '../../../shared/format/metric-format.ts'
import { Sparkline } from '../../components/figures/sparkline.tsx'
import { State } from '../../components/state.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Text } from '../../components/text.tsx'
import { type Activity, activityOf } from '../../model/live-metrics.ts'
import type { Server } from '../../model/servers.ts'
import { Link } from '../../router/link.tsx'
import { DeploymentActions } from '../deployment-actions.tsx'
import { DeploymentState } from '../deployment-state.tsx'
import { buildPath, serverPath } from '../paths.ts'

/** One environment of a server. Without a deployment, its preview. */
interface Row {
  server: Server
  deployment: DeploymentStatus | undefined
  isFirst: boolean
}

const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'Server',
    kind: 'head',
    wide: true,
    cell: ({ server, deployment, isFirst }) => (
      <>
        <Link
          to={serverPath(server.name, '', deployment?.environment)}
          class={isFirst ? 'server-name' : 'server-name again'}
        >
          {server.name}
        </Link>
        <FailureReason server={server} deployment={deployment} />
      </>
    ),
  },
  {
    name: 'Environment',
    cell: ({ deployment }) => deployment?.environment ?? 'preview',
  },
  {
    name: 'State',
    cell: ({ server, deployment }) =>
      deployment ? (
        <DeploymentState deployment={deployment} />
      ) : (
        <State value={server.build?.status ?? 'stopped'} />
      ),
  },
  figure(
    'Requests',
    ({ requestsPerSecond }) => requestsPerSecond,
    ({ current }) => `${formatRate(current.requestsPerSecond)}/s`,
  ),
  figure(
    'Errors',
    ({ errorRate }) => errorRate,
    ({ current: { requests } }) => (requests.total === 0 ? '–' : formatPercent(requests.errorRate)),
  ),
  figure(
    'p99',
    ({ p99Ms }) => p99Ms,
    ({ current: { requests } }) => (requests.total === 0 ? '–' : formatMs(requests.p99Ms)),
  ),
  {
    name: 'Actions',
    hasNoLabel: true,
    kind: 'actions',
    wide: true,
    cell: ({ deployment }) => deployment && <DeploymentActions deployment={deployment} />,
  },
]

export function ServerTable({ servers }: { servers: readonly Server[] }) {
  return (
    <Table
      caption="Servers with their environments, live figures and actions"
      columns={COLUMNS}
      rows={servers.flatMap(rowsOf)}
      keyOf={({ server, deployment }) => `${server.name} ${deployment?.environment ?? ''}`}
    />
  )
}

/** Error of a failed deployment, or of the newest build if the server has no deployments. Links to the full error. */
function FailureReason({ server: { name, failedBuild }, deployment }: Omit<Row, 'isFirst'>) {
  const failed = deployment ?? failedBuild
  if (failed?.status !== 'failed' || !failed.error) return null
  const to = deployment ? serverPath(name, '', deployment.environment) : buildPath(failed.mcp_id)
  return (
    <Link to={to} class="failure-reason">
      <Text value={failed.error.message} max={200} />
    </Link>
  )
}

function rowsOf(server: Server): Row[] {
  if (server.deployments.length === 0) return [{ server, deployment: undefined, isFirst: true }]
  return server.deployments.map((deployment, index) => ({ server, deployment, isFirst: index === 0 }))
}

function figure(
  name: string,
  valuesOf: (activity: Activity) => readonly number[],
  text: (activity: Activity) => string,
): Column<Row> {
  return {
    name,
    kind: 'number',
    cell: ({ deployment }) =>
      deployment?.status === 'deployed' ? (
        <Figure id={deployment.deployment_id} valuesOf={valuesOf} text={text} />
      ) : (
        '–'
      ),
  }
}

interface FigureProps {
  id: string
  valuesOf(activity: Activity): readonly number[]
  text(activity: Activity): string
}

function Figure({ id, valuesOf, text }: FigureProps) {
  const activity = activityOf(id).value
  if (!activity) return <>–</>
  return (
    <span class="figure">
      <Sparkline values={valuesOf(activity)} />
      <span>{text(activity)}</span>
    </span>
  )
}
