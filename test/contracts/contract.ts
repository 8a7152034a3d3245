import type { TestDaemon } from '../helpers/daemon.ts'
import type { OpenApiClient } from './openapi-client.ts'

/** What the tests of the API's contract share: each answers file says what it needs to be there. */
export interface Contract {
  daemon: TestDaemon
  api: OpenApiClient
  /** Of the build and its newest deployment in production that the first tests make. */
  mcpId: string
  deploymentId: string
  /** How often the daemon was asked for them. */
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
