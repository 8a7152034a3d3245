import type { ConfigChanges, DeployConfig } from '../../../shared/contract/deployments/deploy-config.ts'
import type { DeployRequest } from '../../../shared/contract/deployments/deployments.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { revealConfig } from './deployment-secrets.ts'

/**
 * A release of the live build with its configuration, changed by `changes`. Variables that are set in the deployment itself
 * stay. Stored variables get their current values. Throws UNAVAILABLE when secrets cannot be decrypted.
 */
export function releaseAgain(
  deps: Pick<ServiceDependencies, 'secrets' | 'store'>,
  live: Deployment,
  changes: ConfigChanges = {},
): DeployRequest {
  const { environment, mcpId } = live
  return { mcp_id: mcpId, environment, config: changeConfig(ownConfig(deps, live), changes) }
}

/**
 * The configuration without the variables that are stored, because a deployment gets their current values. Contains secrets.
 */
export function ownConfig(
  { secrets, store }: Pick<ServiceDependencies, 'secrets' | 'store'>,
  deployment: Deployment,
): DeployConfig {
  const { name, environment, variables } = deployment
  const { env_vars = {}, ...config } = revealConfig(secrets, deployment)
  const stored = new Set([
    ...variables,
    ...store.variables.list(name, environment).map(variable => variable.name),
  ])
  const own = Object.entries(env_vars).filter(([variable]) => !stored.has(variable))
  return { ...config, ...(own.length > 0 && { env_vars: Object.fromEntries(own) }) }
}

function changeConfig(before: DeployConfig, { config, reset = [] }: ConfigChanges): DeployConfig {
  const kept = Object.entries(before).filter(([name]) => !reset.some(other => other === name))
  return { ...Object.fromEntries(kept), ...config }
}

/** Names of the changed settings. Throws INVALID_REQUEST when there are none. */
export function changedNames({ config = {}, reset = [] }: ConfigChanges): string[] {
  const names = [...new Set([...Object.keys(config), ...reset])]
  if (names.length > 0) return names
  throw new HostingError('INVALID_REQUEST', 'Name at least one setting in config or reset.')
}
