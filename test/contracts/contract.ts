import type { TestDaemon } from '../helpers/daemon/daemon.ts'
import type { OpenApiClient } from './openapi-client.ts'

/** Shared state of the contract tests. */
export interface Contract {
  daemon: TestDaemon
  api: OpenApiClient
  /** Build from the first tests, and its newest deployment in production. */
  mcpId: string
  deploymentId: string
  /** Numbers of stop and upgrade requests to the daemon. */
  stops: number
  upgrades: number
}

export type Call = OpenApiClient['call']

export const ASYNC = { prefer: 'respond-async' }

export const deployBody = (mcp_id: string, environment = 'staging', config = {}) => ({
  mcp_id,
  environment,
  config,
})
