import { HostingError } from '../../shared/errors.ts'
import type { Failure } from '../../shared/fields.ts'
import type { LogLine } from '../../shared/instance-protocol.ts'
import { canMove, DEPLOYMENT_TRANSITIONS, type DeploymentState } from '../../shared/states.ts'
import type { Deployment } from '../store/deployments.ts'
import type { Rooms } from './rooms.ts'

export interface MoveFacts {
  deployMs?: number
  error?: Failure
}

/** The only place where a deployment changes its state. Throws CONFLICT for a move that is not one of the machine's. */
export function moveDeployment(
  { store, clock, background, logs }: Pick<Rooms, 'store' | 'clock' | 'background' | 'logs'>,
  deployment: Deployment,
  to: DeploymentState,
  facts: MoveFacts = {},
): Deployment {
  if (!canMove(DEPLOYMENT_TRANSITIONS, deployment.status, to)) throw refusedMove(deployment, to)
  const now = clock.now()
  const moved: Deployment = {
    ...deployment,
    status: to,
    updatedAt: now,
    error: facts.error ?? null,
    deployMs: facts.deployMs ?? deployment.deployMs,
    deployedAt: to === 'deployed' ? now : deployment.deployedAt,
    stoppedAt: to === 'stopped' ? now : null,
  }
  store.deployments.update(moved)
  background.run(() => logs.append(moved.id, lineOf(moved)))
  return moved
}

/** One line in the deployment's log for each state that it comes to. */
function lineOf({ mcpId, environment, status, updatedAt, deployMs, error }: Deployment): LogLine {
  const messages: Record<DeploymentState, string> = {
    deploying: `build ${mcpId} is being deployed to ${environment}`,
    deployed: `build ${mcpId} is deployed to ${environment} after ${deployMs} ms`,
    stopped: 'the deployment is stopped',
    failed: `the deployment failed: ${error ? `${error.code}: ${error.message}` : 'for no reason that was told'}`,
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
    `Deployment ${deployment.id} is ${deployment.status}; only one that is ${from.join(' or ')} can be ${VERBS[to]}.`,
  )
}
