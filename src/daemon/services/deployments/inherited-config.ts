import type { ConfigChanges, DeployConfig } from '../../../shared/contract/deployments/deploy-config.ts'
import type { DeployRequest } from '../../../shared/contract/deployments/deployments.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import { getBuild } from '../builds/stored-builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { revealConfig } from './deployment-secrets.ts'
import { isRead } from './stored-variables.ts'

type Dependencies = Pick<ServiceDependencies, 'secrets' | 'store'>

/** A request in which the inherited settings named in `reset` are left out. */
export type InheritingRequest = DeployRequest & Pick<ConfigChanges, 'reset'>

/**
 * The request with the configuration of the deployment `config_from`. Fields of `config` override it. Throws NOT_FOUND for an
 * unknown deployment, INVALID_REQUEST for one of another server, and UNAVAILABLE when its secrets cannot be decrypted.
 */
export function inheritConfig(
  deps: Dependencies,
  { config_from: id, reset = [], ...rest }: InheritingRequest,
): DeployRequest {
  if (id === undefined) return rest
  const build = getBuild(deps, rest.mcp_id)
  const from = deps.store.deployments.find(id)
  if (!from)
    throw new HostingError('NOT_FOUND', `Deployment "${id}" in config_from does not exist.`, {
      details: 'GET /v1/deploy lists all deployments.',
    })
  if (from.name !== build.name)
    throw new HostingError(
      'INVALID_REQUEST',
      `Deployment ${id} in config_from belongs to the server "${from.name}", not to "${build.name}".`,
    )
  const inherited = Object.entries(inheritedConfig(deps, from, { ...rest, build }))
  const kept = inherited.filter(([name]) => !reset.some(other => other === name))
  return { ...rest, config: { ...Object.fromEntries(kept), ...rest.config } }
}

/**
 * The configuration to inherit. Omits the domain and variables of another environment, and variables that the build does not
 * read.
 */
function inheritedConfig(
  deps: Dependencies,
  from: Deployment,
  { build, environment }: Pick<DeployRequest, 'environment'> & { build: Build },
): DeployConfig {
  const { domain, env_vars = {}, ...config } = ownConfig(deps, from)
  if (environment !== from.environment) return config
  const read = Object.entries(env_vars).filter(([name]) => isRead(build, name))
  return {
    ...config,
    ...(domain !== undefined && { domain }),
    ...(read.length > 0 && { env_vars: Object.fromEntries(read) }),
  }
}

/** The configuration without stored variables, because the new deployment uses their current values. Contains secrets. */
function ownConfig({ secrets, store }: Dependencies, deployment: Deployment): DeployConfig {
  const { name, environment, variables } = deployment
  const { env_vars = {}, ...config } = revealConfig(secrets, deployment)
  const stored = new Set([
    ...variables,
    ...store.variables.list(name, environment).map(variable => variable.name),
  ])
  const own = Object.entries(env_vars).filter(([variable]) => !stored.has(variable))
  return { ...config, ...(own.length > 0 && { env_vars: Object.fromEntries(own) }) }
}

/** Message of the release that makes the changes. Throws INVALID_REQUEST when there are none. */
export function changeMessage(
  { config = {}, reset = [] }: ConfigChanges,
  { message }: { message?: string | undefined },
): string {
  const names = [...new Set([...Object.keys(config), ...reset])]
  if (names.length > 0) return message ?? `Changed ${names.join(', ')}`
  throw new HostingError('INVALID_REQUEST', 'Name at least one setting in config or reset.')
}
