import type { DeploymentStatus, DeployRequest } from '../../../shared/contract/deployments/deployments.ts'
import { ENVIRONMENTS, type Environment } from '../../../shared/contract/states.ts'
import { servers } from '../../model/servers.ts'

/** A build that the deploy dialog deploys. */
export interface DeployTarget {
  /** Name of the server. */
  name: string
  mcpId: string
  /** Selected first. */
  environment?: Environment
  /** Release that is promoted to another environment. */
  from?: PromotedRelease
  /** The playground of the server opens after the deployment. */
  opensPlayground?: boolean
  /** Configuration for `environment`, in place of the one that the environment has. */
  config?: DeployRequest['config']
}

interface PromotedRelease {
  environment: Environment
  version: number | undefined
  /** Undefined once the deployment of the release has been removed. */
  deploymentId: string | undefined
}

/** Environments that can be chosen, the safest first. */
export function environmentsOf({ from }: DeployTarget): readonly Environment[] {
  return ENVIRONMENTS.filter(environment => environment !== from?.environment).toReversed()
}

/** The environment that is selected first. For a promotion, the one closest to production. */
export function firstEnvironment(target: DeployTarget): Environment {
  const choices = environmentsOf(target)
  return target.environment ?? (target.from ? choices.at(-1)! : choices[0]!)
}

/** The configuration of the target, if it is for this environment. */
export function ownConfig(
  { config, environment }: DeployTarget,
  chosen: Environment,
): DeployRequest['config'] {
  return environment === chosen ? config : undefined
}

export function currentDeployment(name: string, environment: Environment): DeploymentStatus | undefined {
  return servers.value?.get(name)?.deployments.find(one => one.environment === environment)
}
