import type { BuildRecord } from '../../../shared/contract/builds/builds.ts'
import type { DeploymentStatus } from '../../../shared/contract/deployments/deployments.ts'
import type { Environment, StoreEnvironment } from '../../../shared/contract/states.ts'

/** Content of a tab: a server in one environment, with its current deployment. */
export interface TabProps {
  name: string
  environment: Environment
  deployment: DeploymentStatus
}

/** A server in one environment, or its preview, which has no deployment. */
export interface PlaceProps {
  name: string
  environment: StoreEnvironment
  deployment?: DeploymentStatus
  /** Build of the preview. */
  build?: BuildRecord | undefined
}
