import type { DeployConfig } from '../../../shared/contract/deployments/deploy-config.ts'
import type { Failure } from '../../../shared/contract/fields.ts'
import type { DeploymentState, Environment } from '../../../shared/contract/states.ts'
import type { Database } from '../database.ts'
import { RecordStore } from '../record-store.ts'
import type { Page } from '../table.ts'

export interface Deployment {
  id: string
  mcpId: string
  /** Name of the server. */
  name: string
  environment: Environment
  status: DeploymentState
  domain: string | null
  /** As requested, with defaults, stored variables and masked secrets. */
  config: DeployConfig
  /** The encrypted secrets of `config`. Null when there are none. */
  env: Buffer | null
  /** Names of the environment variables whose values were stored for the server and environment. */
  variables: string[]
  deployMs: number
  error: Failure | null
  createdAt: string
  updatedAt: string
  /** Time at which the deployment last started to serve. Null if it never did. */
  deployedAt: string | null
  stoppedAt: string | null
}

export type DeploymentFilter = Partial<Pick<Deployment, 'name' | 'environment' | 'status'>>

/**
 * Condition for a deployment that failed before it served and was followed by another one. The query must not give the table
 * an alias.
 */
export const SUPERSEDED_FAILURE = `deployments.status = 'failed' AND deployments.deployed_at IS NULL AND EXISTS (
  SELECT 1 FROM deployments AS later WHERE later.name = deployments.name AND later.environment = deployments.environment
  AND (later.created_at, later.id) > (deployments.created_at, deployments.id))`

export type LiveDeployment = Pick<Deployment, 'id' | 'name' | 'environment'>

export class DeploymentStore extends RecordStore<Deployment> {
  constructor(database: Database) {
    super(database, 'deployments', { json: ['config', 'variables', 'error'] })
  }

  list({ name, environment, status }: DeploymentFilter, limit: number, cursor?: string): Page<Deployment> {
    return this.table.page({ filters: { name, environment, status }, limit, cursor })
  }

  listByStatus(status: DeploymentState): Deployment[] {
    return this.table.list('WHERE status = ? ORDER BY created_at, id', [status])
  }

  /** Newest first. */
  listByServer(name: string, environment: Environment): Deployment[] {
    return this.table.list('WHERE name = ? AND environment = ? ORDER BY created_at DESC, id DESC', [
      name,
      environment,
    ])
  }

  listByBuild(mcpId: string): Deployment[] {
    return this.table.list('WHERE mcp_id = ?', [mcpId])
  }

  /** The live deployment of the server in the environment. */
  findLive(name: string, environment: Environment): Deployment | undefined {
    return this.table.find("WHERE name = ? AND environment = ? AND status = 'deployed'", [name, environment])
  }

  /** Deployed and deploying deployments, newest first. */
  listActive(name: string, environment: Environment): Deployment[] {
    return this.table.list(
      `WHERE name = ? AND environment = ? AND status IN ('deploying', 'deployed')
       ORDER BY created_at DESC, id DESC`,
      [name, environment],
    )
  }

  /** Deployments that failed with CONFLICT and are the last of their server and environment. Called every few seconds. */
  listInConflict(): Deployment[] {
    return this.table.list(
      `AS failed INDEXED BY deployments_in_conflict
       WHERE status = 'failed' AND json_extract(error, '$.code') = 'CONFLICT'
       AND NOT EXISTS (SELECT 1 FROM deployments AS later WHERE later.name = failed.name
         AND later.environment = failed.environment AND later.updated_at > failed.updated_at)`,
      [],
    )
  }

  /** Deployments that failed with UNAVAILABLE and are the last of their server and environment, where nothing serves. */
  listLastUnavailable(): Deployment[] {
    return this.table.list(
      `AS failed WHERE status = 'failed' AND json_extract(error, '$.code') = 'UNAVAILABLE'
       AND NOT EXISTS (SELECT 1 FROM deployments AS other WHERE other.name = failed.name
         AND other.environment = failed.environment
         AND (other.updated_at > failed.updated_at OR other.status IN ('deploying', 'deployed')))`,
      [],
    )
  }

  /** Oldest first. */
  listSupersededFailures(): Deployment[] {
    return this.table.list(`WHERE ${SUPERSEDED_FAILURE} ORDER BY created_at, id`)
  }

  /** Servers and environments with deployments. */
  listPlaces(): Pick<Deployment, 'name' | 'environment'>[] {
    return this.database
      .prepare<Pick<Deployment, 'name' | 'environment'>>('SELECT DISTINCT name, environment FROM deployments')
      .all()
  }

  findByDomain(domain: string): Deployment | undefined {
    return this.table.find("WHERE status = 'deployed' AND domain = ?", [domain])
  }

  /** Domains of live deployments. */
  domains(): string[] {
    return this.table.list("WHERE status = 'deployed' AND domain IS NOT NULL").map(({ domain }) => domain!)
  }

  /** A deployed or deploying deployment of another server or environment with this domain. */
  findDomainOwner(domain: string, name: string, environment: Environment): Deployment | undefined {
    return this.table.find(
      "WHERE status IN ('deploying', 'deployed') AND domain = ? AND NOT (name = ? AND environment = ?)",
      [domain, name, environment],
    )
  }

  /** Deployed deployments by name. Reads only three columns, because it is called often. */
  listLive(): LiveDeployment[] {
    return this.database
      .prepare<LiveDeployment>(
        "SELECT id, name, environment FROM deployments WHERE status = 'deployed' ORDER BY name, environment",
      )
      .all()
  }

  /** Counts deployed and deploying deployments. */
  countActive(): { environment: Environment; status: DeploymentState; count: number }[] {
    return this.database
      .prepare<{ environment: Environment; status: DeploymentState; count: number }>(
        `SELECT environment, status, count(*) AS count FROM deployments
         WHERE status IN ('deploying', 'deployed') GROUP BY environment, status`,
      )
      .all()
  }

  /** Writes the fields that change during the life of a deployment. */
  update(deployment: Deployment): void {
    this.table.update(deployment, ['status', 'deployMs', 'error', 'updatedAt', 'deployedAt', 'stoppedAt'])
  }
}
