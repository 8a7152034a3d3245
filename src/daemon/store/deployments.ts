import type { DeployConfig } from '../../shared/deploy-config.ts'
import type { Failure } from '../../shared/fields.ts'
import type { DeploymentState, Environment } from '../../shared/states.ts'
import type { Database } from './database.ts'
import { selectPage } from './keyset.ts'

export interface Deployment {
  id: string
  mcpId: string
  /** The server's name. */
  name: string
  environment: Environment
  status: DeploymentState
  domain: string | null
  /** As given, with the values of `env_vars` masked. */
  config: DeployConfig
  /** The real `env_vars`, sealed; null when there are none. */
  env: Buffer | null
  deployMs: number
  error: Failure | null
  createdAt: string
  updatedAt: string
  /** When it last came to serve; null when it never did. */
  deployedAt: string | null
  stoppedAt: string | null
}

export interface DeploymentFilter {
  name?: string
  environment?: Environment
  status?: DeploymentState
}

export type LiveDeployment = Pick<Deployment, 'id' | 'name' | 'environment'>

interface DeploymentRow {
  id: string
  mcp_id: string
  name: string
  environment: Environment
  status: DeploymentState
  domain: string | null
  config: string
  env: Buffer | null
  deploy_ms: number
  error: string | null
  created_at: string
  updated_at: string
  deployed_at: string | null
  stopped_at: string | null
}

export class DeploymentStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(id: string): Deployment | undefined {
    return this.#one('WHERE id = ?', [id])
  }

  list(
    filter: DeploymentFilter,
    limit: number,
    cursor?: string,
  ): { items: Deployment[]; nextCursor: string | null } {
    const { rows, nextCursor } = selectPage<DeploymentRow>(this.#database, {
      table: 'deployments',
      filters: { name: filter.name, environment: filter.environment, status: filter.status },
      limit,
      cursor,
    })
    return { items: rows.map(toDeployment), nextCursor }
  }

  withStatus(status: DeploymentState): Deployment[] {
    return this.#all('WHERE status = ? ORDER BY created_at, id', [status])
  }

  /** Newest first. */
  ofServer(name: string, environment: Environment): Deployment[] {
    return this.#all('WHERE name = ? AND environment = ? ORDER BY created_at DESC, id DESC', [
      name,
      environment,
    ])
  }

  ofBuild(mcpId: string): Deployment[] {
    return this.#all('WHERE mcp_id = ?', [mcpId])
  }

  /** The one that serves, if any. */
  findLive(name: string, environment: Environment): Deployment | undefined {
    return this.#one("WHERE name = ? AND environment = ? AND status = 'deployed'", [name, environment])
  }

  /** Those that serve there or are about to, newest first. */
  active(name: string, environment: Environment): Deployment[] {
    return this.#all(
      `WHERE name = ? AND environment = ? AND status IN ('deploying', 'deployed')
       ORDER BY created_at DESC, id DESC`,
      [name, environment],
    )
  }

  /** Those that failed with CONFLICT and are what was last done at their place; asked for every few seconds. */
  inConflict(): Deployment[] {
    return this.#all(
      `AS failed INDEXED BY deployments_in_conflict
       WHERE status = 'failed' AND json_extract(error, '$.code') = 'CONFLICT'
       AND NOT EXISTS (SELECT 1 FROM deployments AS later WHERE later.name = failed.name
         AND later.environment = failed.environment AND later.updated_at > failed.updated_at)`,
      [],
    )
  }

  /** Those that failed with UNAVAILABLE and are what was last done at their place, where nothing serves. */
  lastUnavailable(): Deployment[] {
    return this.#all(
      `AS failed WHERE status = 'failed' AND json_extract(error, '$.code') = 'UNAVAILABLE'
       AND NOT EXISTS (SELECT 1 FROM deployments AS other WHERE other.name = failed.name
         AND other.environment = failed.environment
         AND (other.updated_at > failed.updated_at OR other.status IN ('deploying', 'deployed')))`,
      [],
    )
  }

  /** The newest one before `than` that once served. */
  findEarlier(than: Deployment): Deployment | undefined {
    return this.#one(
      `WHERE name = ? AND environment = ? AND deployed_at IS NOT NULL AND (created_at, id) < (?, ?)
       ORDER BY created_at DESC, id DESC LIMIT 1`,
      [than.name, than.environment, than.createdAt, than.id],
    )
  }

  findByDomain(domain: string): Deployment | undefined {
    return this.#one("WHERE status = 'deployed' AND domain = ?", [domain])
  }

  /** Another server's or environment's deployment that serves the domain or is about to. */
  findDomainOwner(domain: string, name: string, environment: Environment): Deployment | undefined {
    return this.#one(
      "WHERE status IN ('deploying', 'deployed') AND domain = ? AND NOT (name = ? AND environment = ?)",
      [domain, name, environment],
    )
  }

  /** Those that serve, by name: no more than is asked for often. */
  live(): LiveDeployment[] {
    return this.#database
      .prepare<LiveDeployment>(
        "SELECT id, name, environment FROM deployments WHERE status = 'deployed' ORDER BY name, environment",
      )
      .all()
  }

  /** Those that serve or are about to. */
  countLive(): { environment: Environment; status: DeploymentState; count: number }[] {
    return this.#database
      .prepare<{ environment: Environment; status: DeploymentState; count: number }>(
        `SELECT environment, status, count(*) AS count FROM deployments
         WHERE status IN ('deploying', 'deployed') GROUP BY environment, status`,
      )
      .all()
  }

  create(deployment: Deployment): void {
    this.#database
      .prepare(
        `INSERT INTO deployments (id, mcp_id, name, environment, status, domain, config, env, deploy_ms, error, created_at, updated_at, deployed_at, stopped_at)
         VALUES (@id, @mcp_id, @name, @environment, @status, @domain, @config, @env, @deploy_ms, @error, @created_at, @updated_at, @deployed_at, @stopped_at)`,
      )
      .run(toRow(deployment))
  }

  /** Writes what changes in a deployment's life. */
  update(deployment: Deployment): void {
    const { id, status, deploy_ms, error, updated_at, deployed_at, stopped_at } = toRow(deployment)
    this.#database
      .prepare(
        `UPDATE deployments SET status = @status, deploy_ms = @deploy_ms, error = @error, updated_at = @updated_at,
         deployed_at = @deployed_at, stopped_at = @stopped_at WHERE id = @id`,
      )
      .run({ id, status, deploy_ms, error, updated_at, deployed_at, stopped_at })
  }

  remove(id: string): void {
    this.#database.prepare('DELETE FROM deployments WHERE id = ?').run([id])
  }

  #one(rest: string, params: unknown[]): Deployment | undefined {
    const row = this.#database.prepare<DeploymentRow>(`SELECT * FROM deployments ${rest}`).get(params)
    return row && toDeployment(row)
  }

  #all(rest: string, params: unknown[]): Deployment[] {
    return this.#database
      .prepare<DeploymentRow>(`SELECT * FROM deployments ${rest}`)
      .all(params)
      .map(toDeployment)
  }
}

function toDeployment(row: DeploymentRow): Deployment {
  return {
    id: row.id,
    mcpId: row.mcp_id,
    name: row.name,
    environment: row.environment,
    status: row.status,
    domain: row.domain,
    config: JSON.parse(row.config),
    env: row.env,
    deployMs: row.deploy_ms,
    error: row.error === null ? null : JSON.parse(row.error),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deployedAt: row.deployed_at,
    stoppedAt: row.stopped_at,
  }
}

function toRow(deployment: Deployment): DeploymentRow {
  return {
    id: deployment.id,
    mcp_id: deployment.mcpId,
    name: deployment.name,
    environment: deployment.environment,
    status: deployment.status,
    domain: deployment.domain,
    config: JSON.stringify(deployment.config),
    env: deployment.env,
    deploy_ms: deployment.deployMs,
    error: deployment.error && JSON.stringify(deployment.error),
    created_at: deployment.createdAt,
    updated_at: deployment.updatedAt,
    deployed_at: deployment.deployedAt,
    stopped_at: deployment.stoppedAt,
  }
}
