import type { DeploymentStatus } from '../../../shared/contract/deployments/deployments.ts'
import type { Environment } from '../../../shared/contract/states.ts'
import { type DeployTarget, ownConfig } from './deploy-target.ts'

interface ReplacementProps {
  target: DeployTarget
  environment: Environment
  current: DeploymentStatus | undefined
}

/** Explains what happens to the current deployment of the environment, and which configuration the new one gets. */
export function Replacement({ target, environment, current }: ReplacementProps) {
  const isSame = current?.status === 'deployed' && current.mcp_id === target.mcpId
  return (
    <p class="muted">
      {isSame && 'This build is already live there. '}
      {current?.status === 'deployed' && `${handover(current)} `}
      {configurationOf({ target, environment, current })} The variables are the ones stored for {environment}.
    </p>
  )
}

function configurationOf({ target, environment, current }: ReplacementProps): string {
  const { from } = target
  if (ownConfig(target, environment)) return 'The deployment gets the configuration in the definition.'
  if (current) return `The configuration of v${current.version} is kept.`
  return from?.deploymentId
    ? `The deployment gets the configuration of v${from.version} in ${from.environment}, without its domain.`
    : 'The deployment gets the default configuration.'
}

/** Says how the deployment is replaced: immediately in development, and without a failed request elsewhere. */
export function handover({ environment, version }: DeploymentStatus): string {
  return environment === 'development'
    ? `v${version} is replaced immediately.`
    : `v${version} keeps serving until the new release is ready, so no request fails.`
}
