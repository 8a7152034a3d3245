import type { DeploymentStatus } from '../../../shared/contract/deployments/deployments.ts'
import type { Environment, StoreEnvironment } from '../../../shared/contract/states.ts'

/** What a tab shows: a server in one environment, with its current deployment. */
export interface TabProps {
  name: string
  environment: Environment
  deployment: DeploymentStatus
}

/** What the playground shows. The preview has no deployment. */
export interface PlaygroundProps {
  name: string
  environment: StoreEnvironment
  deployment?: DeploymentStatus
}
