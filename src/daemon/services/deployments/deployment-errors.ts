import type { Environment } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Deployment } from '../../store/tables/deployments.ts'

/** CONFLICT, because there is no live deployment to release again. */
export function nothingLive(server: string, environment: Environment): HostingError {
  return new HostingError('CONFLICT', `"${server}" has no live deployment in ${environment} to redeploy.`, {
    details: `The next deployment to ${environment} gets the stored variables.`,
  })
}

/** CONFLICT for a change based on a configuration that is not live, or will soon be replaced. */
export function notReconfigurable(
  { id, name, environment, status }: Deployment,
  other: Deployment | undefined,
): HostingError {
  const reason = other ? `deployment ${other.id} is ${other.status} in its place` : `it is ${status}`
  return new HostingError('CONFLICT', `Deployment ${id} cannot be reconfigured, because ${reason}.`, {
    details: `Change the live deployment of "${name}" in ${environment}.`,
    next: [{ description: 'Show what is live', command: `mcp status ${name}` }],
  })
}

/** CONFLICT for a deployment that does not serve. */
export function notRestartable({ id, status }: Deployment): HostingError {
  return new HostingError(
    'CONFLICT',
    `Deployment ${id} is ${status}. Only deployed deployments can be restarted.`,
    { details: status === 'deploying' ? 'Wait until it is deployed.' : `Start it: mcp start ${id}` },
  )
}

/** Keeps the code of the reason, which is UNAVAILABLE unless it is a HostingError. */
export function notRestarted(id: string, reason: Error): HostingError {
  const known = reason instanceof HostingError ? reason : undefined
  return new HostingError(
    known?.code ?? 'UNAVAILABLE',
    `Deployment ${id} was not restarted and its old instances keep serving: ${reason.message}`,
    {
      details: known?.details,
      next: [{ description: 'Read its log', command: `mcp logs ${id}` }],
      cause: reason,
    },
  )
}
