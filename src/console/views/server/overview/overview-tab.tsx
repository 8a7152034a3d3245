import './overview.css'
import type { DeploymentStatus } from '../../../../shared/contract/deployments/deployments.ts'
import { formatMemory, formatMs, formatPercent, formatRate } from '../../../../shared/format/metric-format.ts'
import { Copyable } from '../../../components/copy.tsx'
import { Figure } from '../../../components/figures/figure.tsx'
import { Problem } from '../../../components/loaded.tsx'
import { failureOf } from '../../../model/failure.ts'
import { activityOf } from '../../../model/live-metrics.ts'
import type { TabProps } from '../tab-props.ts'
import { Traffic } from '../traffic/traffic.tsx'
import { Clients } from './clients.tsx'
import { Instances } from './instances.tsx'
import { LastRelease } from './last-release.tsx'
import { Sessions } from './sessions.tsx'

export function OverviewTab(props: TabProps) {
  const { name, environment, deployment } = props
  const isLive = deployment.status === 'deployed'
  return (
    <>
      {deployment.error && <Problem error={failureOf(deployment.error)} />}
      <Figures deployment={deployment} />
      <Traffic name={name} environment={environment} period="hour" />
      <LastRelease {...props} />
      <div class="columns">
        <Urls deployment={deployment} />
        <Clients name={name} url={deployment.url} />
      </div>
      {isLive && <Instances deployment={deployment} />}
      {isLive && <Sessions name={name} environment={environment} />}
    </>
  )
}

function Figures({ deployment }: { deployment: DeploymentStatus }) {
  const activity = activityOf(deployment.deployment_id).value
  if (!activity) return null
  const { requests, requestsPerSecond, memoryBytes, activeRequests } = activity.current
  const hasRequests = requests.total > 0
  return (
    <dl class="figures">
      <Figure name="Requests" value={`${formatRate(requestsPerSecond)}/s`} />
      <Figure name="Errors" value={hasRequests ? formatPercent(requests.errorRate) : '–'} />
      <Figure name="p50" value={hasRequests ? formatMs(requests.p50Ms) : '–'} />
      <Figure name="p99" value={hasRequests ? formatMs(requests.p99Ms) : '–'} />
      <Figure name="In progress" value={String(activeRequests)} />
      <Figure name="Memory" value={formatMemory(memoryBytes)} />
    </dl>
  )
}

function Urls({ deployment: { url, named_urls } }: { deployment: DeploymentStatus }) {
  return (
    <section class="section">
      <h2>URLs</h2>
      <div class="stack">
        {named_urls.length > 0 && (
          <p class="muted">Give clients the first URL. The others are names for the same server.</p>
        )}
        {[url, ...named_urls].map(one => (
          <Copyable key={one} text={one} what={one} />
        ))}
      </div>
    </section>
  )
}
