import type { ConfigChanges, DeployConfig } from '../../../shared/contract/deployments/deploy-config.ts'
import type { DeployRequest } from '../../../shared/contract/deployments/deployments.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { revealConfig } from './deployment-secrets.ts'

/**
 * A release of the live build with its configuration, changed by `changes`. Variables of the deployment itself stay. Others come from the
 * stored ones, which may have changed. Throws UNAVAILABLE when secrets cannot be decrypted.
 */
export function releaseAgain(
  { secrets, store }: Pick<ServiceDependencies, 'secrets' | 'store'>,
  live: Deployment,
  changes: ConfigChanges = {},
): DeployRequest {
  const { name, environment, mcpId } = live
  const { env_vars = {}, ...config } = revealConfig(secrets, live)
  const stored = new Set([
    ...live.variables,
    ...store.variables.list(name, environment).map(variable => variable.name),
  ])
  const own = Object.entries(env_vars).filter(([variable]) => !stored.has(variable))
  return {
    mcp_id: mcpId,
    environment,
    config: {
      ...changeConfig(config, changes),
      ...(own.length > 0 && { env_vars: Object.fromEntries(own) }),
    },
  }
}

/** Replaces the given settings. Null removes one. */
function changeConfig(config: DeployConfig, changes: ConfigChanges): DeployConfig {
  const entries = Object.entries({ ...config, ...changes })
  return Object.fromEntries(entries.filter(([, value]) => value !== null))
}
