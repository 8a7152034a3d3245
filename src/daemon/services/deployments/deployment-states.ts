import type { Failure } from '../../../shared/contract/fields.ts'
import { canMove, DEPLOYMENT_TRANSITIONS, type DeploymentState } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { LogLine } from '../../../shared/instances/log-line.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import type { ServiceDependencies } from '../dependencies.ts'

export interface MoveDetails {
  deployMs?: number
  error?: Failure
}

/** The only function that changes the state of a deployment. Throws CONFLICT for an invalid transition. */
export function moveDeployment(
  { store, clock, background, logs }: Pick<ServiceDependencies, 'store' | 'clock' | 'background' | 'logs'>,
  deployment: Deployment,
  to: DeploymentState,
  details: MoveDetails = {},
): Deployment {
  if (!canMove(DEPLOYMENT_TRANSITIONS, deployment.status, to)) throw refusedMove(deployment, to)
  const now = clock.now()
  const moved: Deployment = {
    ...deployment,
    status: to,
    updatedAt: now,
    error: details.error ?? null,
    deployMs: details.deployMs ?? deployment.deployMs,
    deployedAt: to === 'deployed' ? now : deployment.deployedAt,
    stoppedAt: to === 'stopped' ? now : null,
  }
  store.deployments.update(moved)
  background.run(() => logs.append(moved.id, lineOf(moved)))
  return moved
}

function lineOf({ mcpId, environment, status, updatedAt, deployMs, error }: Deployment): LogLine {
  const messages: Record<DeploymentState, string> = {
    deploying: `deploying build ${mcpId} to ${environment}`,
    deployed: `deployed build ${mcpId} to ${environment} in ${deployMs} ms`,
    stopped: 'deployment stopped',
    failed: `deployment failed: ${error ? `${error.code}: ${error.message}` : 'unknown reason'}`,
  }
  const level = status === 'failed' ? 'error' : 'info'
  return { timestamp: updatedAt, level, stream: 'server', message: messages[status] }
}

const VERBS: Record<DeploymentState, string> = {
  deploying: 'started',
  deployed: 'marked as deployed',
  stopped: 'stopped',
  failed: 'marked as failed',
}

function refusedMove(deployment: Deployment, to: DeploymentState): HostingError {
  const from = (Object.keys(DEPLOYMENT_TRANSITIONS) as DeploymentState[]).filter(state =>
    canMove(DEPLOYMENT_TRANSITIONS, state, to),
  )
  return new HostingError(
    'CONFLICT',
    `Deployment ${deployment.id} is ${deployment.status}. Only ${from.join(' or ')} deployments can be ${VERBS[to]}.`,
  )
}

const REPLACED_ERROR = {
  code: 'CONFLICT',
  message:
    "The port of this server's address was in use by another program, and a later deployment replaced this one.",
}

/** Prevents deployments that the removed deployment replaced from starting when their port becomes free. */
export function markReplaced({ store }: Pick<ServiceDependencies, 'store'>, removed: Deployment): void {
  const { name, environment, updatedAt } = removed
  for (const older of store.deployments.listInConflict())
    if (older.name === name && older.environment === environment && older.updatedAt < updatedAt)
      store.deployments.update({ ...older, error: REPLACED_ERROR })
}
