import type { DeployRequest } from '../../../shared/contract/deployments/deployments.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import type { Release } from '../../store/tables/releases.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { changedEnv } from './deployment-env.ts'
import { readEnv, revealConfig } from './deployment-secrets.ts'

/** The stored values may be newer on purpose, such as a rotated key, and exist nowhere else. */
const STORED_UNCHANGED = 'The stored variables are unchanged. The next deployment gets them.'

/**
 * Request for a deployment with the build and configuration of `target`. If its deployment was removed, the live configuration
 * stays, with a warning. Otherwise, `warnings` name variables that differ from the live deployment. `variables` names the
 * variables whose values were stored.
 */
export function rollbackRequest(
  { secrets, store }: Pick<ServiceDependencies, 'secrets' | 'store'>,
  from: Deployment,
  target: Release,
): { request: DeployRequest; variables: Deployment['variables']; warnings: string[] } {
  const live = store.deployments.findLive(from.name, from.environment) ?? from
  const old = store.deployments.find(target.id)
  const config = revealConfig(secrets, old ?? live)
  const request: DeployRequest = { mcp_id: target.mcpId, environment: target.environment, config }
  if (!old) return { request, variables: live.variables, warnings: [configRemoved(target)] }
  const changes = changedEnv(readEnv(secrets, live), config.env_vars ?? {})
  const warnings = changes.length > 0 ? [...changes, STORED_UNCHANGED] : []
  return { request, variables: old.variables, warnings }
}

function configRemoved({ version }: Release): string {
  return `The configuration of version ${version} was removed with its deployment. The current one is kept.`
}

/**
 * The release to return to: the release of the deployment `to`, or the one that served before `from`. Throws NOT_FOUND or
 * CONFLICT.
 */
export function rollbackTarget(
  { store }: Pick<ServiceDependencies, 'store'>,
  from: Deployment,
  to: string | undefined,
): Release {
  const { id, name, environment } = from
  const current = store.releases.find(id)
  const target =
    to !== undefined ? store.releases.find(to) : current && store.releases.findEarlierServed(current)
  if (target && hasServed({ store }, target) && isSamePlace(from, target))
    return requireBuild({ store }, target)
  if (to === undefined)
    throw new HostingError(
      'CONFLICT',
      `There is no deployment of "${name}" in ${environment} before ${id}.`,
      {
        details: olderBuild({ store }, from),
      },
    )
  if (!target)
    throw new HostingError('NOT_FOUND', `Deployment "${to}" does not exist.`, {
      next: [{ description: 'List releases', command: `mcp releases ${name} --env ${environment}` }],
    })
  throw new HostingError(
    'CONFLICT',
    `Cannot roll back to deployment ${to}, because it never served "${name}" in ${environment}.`,
  )
}

/** How to return to an older build, which may have served in another environment only. */
function olderBuild(
  { store }: Pick<ServiceDependencies, 'store'>,
  { name, environment, mcpId }: Deployment,
): string {
  const builds = store.builds.listByServer(name).filter(({ expiresAt }) => expiresAt === null)
  const at = builds.findIndex(({ id }) => id === mcpId)
  // The same content under another id would change nothing.
  const older = builds
    .slice(0, Math.max(0, at))
    .findLast(({ status, digest }) => status === 'ready' && digest !== builds[at]!.digest)
  if (older) return `Deploy an older build instead: mcp deploy ${older.id} --env ${environment}`
  return 'There is no older build to deploy either. Change the project and deploy it again: mcp deploy'
}

function isSamePlace({ name, environment }: Deployment, target: Release): boolean {
  return target.server === name && target.environment === environment
}

function hasServed({ store }: Pick<ServiceDependencies, 'store'>, { id, deployedAt }: Release): boolean {
  return (store.deployments.find(id)?.deployedAt ?? deployedAt) !== null
}

/** Throws CONFLICT when the release's build has been removed, which is possible once no deployment uses it. */
function requireBuild({ store }: Pick<ServiceDependencies, 'store'>, release: Release): Release {
  if (store.builds.find(release.mcpId)) return release
  const { version, mcpId } = release
  throw new HostingError(
    'CONFLICT',
    `Cannot roll back to version ${version}, because its build ${mcpId} was removed.`,
  )
}
