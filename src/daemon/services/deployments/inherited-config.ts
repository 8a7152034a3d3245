import type { DeployConfig } from '../../../shared/contract/deployments/deploy-config.ts'
import type { DeployRequest } from '../../../shared/contract/deployments/deployments.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import { getBuild } from '../builds/stored-builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { ownConfig } from './release-again.ts'
import { isRead } from './stored-variables.ts'

type Dependencies = Pick<ServiceDependencies, 'secrets' | 'store'>

/**
 * The request with the configuration of the deployment `config_from`. Fields of `config` override it. Throws NOT_FOUND, INVALID_REQUEST for
 * a deployment of another server, and UNAVAILABLE when its secrets cannot be decrypted.
 */
export function inheritConfig(deps: Dependencies, request: DeployRequest): DeployRequest {
  const { config_from: id, ...rest } = request
  if (id === undefined) return request
  const build = getBuild(deps, request.mcp_id)
  const from = deps.store.deployments.find(id)
  if (!from)
    throw new HostingError('NOT_FOUND', `Deployment "${id}" of config_from does not exist.`, {
      details: 'GET /v1/deploy lists all deployments.',
    })
  if (from.name !== build.name)
    throw new HostingError(
      'INVALID_REQUEST',
      `Deployment ${id} of config_from belongs to the server "${from.name}", not to "${build.name}".`,
    )
  return { ...rest, config: { ...inheritedConfig(deps, from, { ...rest, build }), ...rest.config } }
}

/**
 * The configuration to inherit. Domain and variables belong to their environment, and the build may no longer read a
 * variable.
 */
function inheritedConfig(
  deps: Dependencies,
  from: Deployment,
  { build, environment }: Pick<DeployRequest, 'environment'> & { build: Build },
): DeployConfig {
  const { domain, env_vars = {}, ...config } = ownConfig(deps, from)
  if (environment !== from.environment) return config
  const read = Object.entries(env_vars).filter(([name]) => isRead(build, name))
  return { ...config, ...(domain !== undefined && { domain }), env_vars: Object.fromEntries(read) }
}
