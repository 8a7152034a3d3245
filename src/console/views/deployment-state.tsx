import type { DeploymentStatus } from '../../shared/contract/deployments/deployments.ts'
import { State } from '../components/state.tsx'
import { activityOf } from '../model/live-metrics.ts'

/** State of a deployment. A live one without instances sleeps until its next request. */
export function DeploymentState({
  deployment: { deployment_id, status, error },
}: {
  deployment: DeploymentStatus
}) {
  const activity = activityOf(deployment_id).value
  const isAsleep = status === 'deployed' && activity?.current.instances === 0
  return <State value={isAsleep ? 'asleep' : status} title={error?.message} />
}
