import type { StoreEnvironment } from '../../../shared/contract/states.ts'
import type { Server } from '../../model/servers.ts'

/** A build that the agent can use: the one an environment serves, or the newest one. */
export interface Target {
  environment: StoreEnvironment
  mcpId: string
}

export function targetsOf({ deployments, build }: Server): Target[] {
  const deployed = deployments.map(({ environment, mcp_id: mcpId }) => ({ environment, mcpId }))
  return build?.status === 'ready' ? [...deployed, { environment: 'preview', mcpId: build.mcp_id }] : deployed
}

interface Wanted {
  environment: string | null
  mcpId: string | undefined
}

/** The environment that the URL names, else the one with the build that the chat used last, else the first one. */
export function chosenTarget(targets: readonly Target[], { environment, mcpId }: Wanted): Target | undefined {
  return (
    targets.find(target => target.environment === environment) ??
    targets.find(target => target.mcpId === mcpId) ??
    targets[0]
  )
}
