import type { DeployRequest } from '../../../shared/contract/deployments.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { changedEnv } from './deployment-env.ts'
import { readEnv, revealConfig } from './deployment-secrets.ts'

/** The stored values may be newer on purpose, such as a rotated key, and nothing else has them. */
const STORED_UNCHANGED = 'The stored variables are unchanged. The next deployment gets them.'

/** A deployment with the build and configuration of `target`. `warnings` name variables that differ from the live deployment. */
export function rollbackRequest(
  { secrets, store }: Pick<ServiceDependencies, 'secrets' | 'store'>,
  from: Deployment,
  target: Deployment,
): { request: DeployRequest; warnings: string[] } {
  const config = revealConfig(secrets, target)
  const live = store.deployments.findLive(from.name, from.environment) ?? from
  const changes = changedEnv(readEnv(secrets, live), config.env_vars ?? {})
  const warnings = changes.length > 0 ? [...changes, STORED_UNCHANGED] : []
  return { request: { mcp_id: target.mcpId, environment: target.environment, config }, warnings }
}

/** The deployment that served before `from`. Throws CONFLICT when there is none. */
export function previousDeployment(
  { store }: Pick<ServiceDependencies, 'store'>,
  from: Deployment,
): Deployment {
  const { id, name, environment } = from
  const earlier = store.deployments.findEarlier(from)
  if (earlier) return earlier
  throw new HostingError('CONFLICT', `There is no deployment of "${name}" in ${environment} before ${id}.`, {
    details:
      environment === 'development'
        ? 'In development, every deployment removes older ones. Deploy an older build instead.'
        : 'Deploy an older build instead.',
  })
}

/** Throws CONFLICT unless `target` has served the same server in the same environment. */
export function requireRollbackTarget(from: Deployment, target: Deployment): Deployment {
  const { name, environment } = from
  if (target.name === name && target.environment === environment && target.deployedAt) return target
  throw new HostingError(
    'CONFLICT',
    `Cannot roll back to deployment ${target.id}: it never served "${name}" in ${environment}.`,
  )
}
