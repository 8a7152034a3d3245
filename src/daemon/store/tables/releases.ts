import type {
  ReleaseChanges,
  ReleaseGit,
  ReleaseTest,
} from '../../../shared/contract/deployments/releases.ts'
import type { DeploymentState, Environment } from '../../../shared/contract/states.ts'
import type { Database } from '../database.ts'
import { Table } from '../table.ts'
import type { Deployment } from './deployments.ts'

export interface Release {
  /** Id of the release's deployment. */
  id: string
  server: string
  environment: Environment
  /** Number of the release, counted from 1 for each server and environment. */
  version: number
  mcpId: string
  digest: string | null
  /** Name of the API key that created the release. */
  author: string | null
  message: string | null
  git: ReleaseGit | null
  test: ReleaseTest | null
  /** Changes from the release that was live. Null when there was none, or an artifact could not be read. */
  changes: ReleaseChanges | null
  /** Version that this release rolled back to. Null for other releases. */
  rollbackTo: number | null
  requests: number
  errors: number
  /** Last state of the deployment. Null while its record exists. */
  status: DeploymentState | null
  /** Time at which the removed deployment last started to serve. Null while its record exists, or if it never served. */
  deployedAt: string | null
  createdAt: string
  /** Removal time of the deployment. */
  removedAt: string | null
}

export type NewRelease = Omit<
  Release,
  'version' | 'requests' | 'errors' | 'status' | 'deployedAt' | 'removedAt'
>

/** Server and environment of releases. Undefined selects all. */
export interface ReleasePlace {
  server?: string | undefined
  environment?: Environment | undefined
}

/** Releases, kept after their deployments were removed. */
export class ReleaseStore {
  readonly #database: Database
  readonly #table: Table<Release>

  constructor(database: Database) {
    this.#database = database
    this.#table = new Table(database, 'releases', { json: ['git', 'test', 'changes'] })
  }

  find(id: string): Release | undefined {
    return this.#table.find('WHERE id = ?', [id])
  }

  /** Version of a deployment. Reads one column, because lists of deployments call it for each entry. */
  versionOf(id: string): number | undefined {
    return this.#database.prepare<{ version: number }>('SELECT version FROM releases WHERE id = ?').get([id])
      ?.version
  }

  /** Reads three columns, because lists of deployments call it for each entry. */
  summaryOf(id: string): Pick<Release, 'message' | 'git' | 'rollbackTo'> | undefined {
    const row = this.#database
      .prepare<{ message: string | null; git: string | null; rollbackTo: number | null }>(
        'SELECT message, git, rollback_to AS rollbackTo FROM releases WHERE id = ?',
      )
      .get([id])
    return row && { ...row, git: row.git === null ? null : JSON.parse(row.git) }
  }

  list(
    { server, environment }: ReleasePlace,
    limit: number,
    cursor?: string,
  ): { items: Release[]; nextCursor: string | null } {
    return this.#table.page({ filters: { server, environment }, limit, cursor })
  }

  /** Releases, newest first, without those whose deployment was removed before the given time. */
  listSince({ server, environment }: ReleasePlace, removedAfter: string): Release[] {
    return this.#table.list(
      `WHERE (@server IS NULL OR server = @server) AND (@environment IS NULL OR environment = @environment)
       AND (removed_at IS NULL OR removed_at > @removedAfter) ORDER BY created_at DESC, id DESC`,
      { server: server ?? null, environment: environment ?? null, removedAfter },
    )
  }

  /** Releases whose deployment is running or changed after the given time. */
  listActive({ server, environment }: ReleasePlace, changedAfter: string): Release[] {
    return this.#table.list(
      `WHERE (@server IS NULL OR server = @server) AND (@environment IS NULL OR environment = @environment)
       AND (removed_at > @changedAfter OR id IN (SELECT id FROM deployments WHERE status IN ('deploying', 'deployed')
         OR updated_at > @changedAfter))`,
      { server: server ?? null, environment: environment ?? null, changedAfter },
    )
  }

  /** Oldest first. */
  listAll(server: string, environment: Environment): Pick<Release, 'version' | 'createdAt'>[] {
    return this.#database
      .prepare<Pick<Release, 'version' | 'createdAt'>>(
        `SELECT version, created_at AS createdAt FROM releases WHERE server = ? AND environment = ? ORDER BY version`,
      )
      .all([server, environment])
  }

  /** The newest release before this one that served. Includes removed deployments. */
  findEarlierServed({ server, environment, version }: Release): Release | undefined {
    return this.#table.find(
      `WHERE server = ? AND environment = ? AND version < ? AND (deployed_at IS NOT NULL
       OR EXISTS (SELECT 1 FROM deployments WHERE deployments.id = releases.id AND deployments.deployed_at IS NOT NULL))
       ORDER BY version DESC LIMIT 1`,
      [server, environment, version],
    )
  }

  /** Ids of all releases of a server in an environment, including those of removed deployments. */
  listIds(server: string, environment: Environment): string[] {
    const sql = 'SELECT id FROM releases WHERE server = ? AND environment = ?'
    return this.#database.values(sql, [server, environment])
  }

  /** Numbers and saves a release. Called in the transaction that creates its deployment. */
  create(release: NewRelease): Release {
    const { server, environment } = release
    const sql = 'SELECT max(version) AS newest FROM releases WHERE server = ? AND environment = ?'
    const { newest } = this.#database.prepare<{ newest: number | null }>(sql).get([server, environment])!
    const numbered: Release = {
      ...release,
      version: (newest ?? 0) + 1,
      requests: 0,
      errors: 0,
      status: null,
      deployedAt: null,
      removedAt: null,
    }
    this.#table.insert(numbered)
    return numbered
  }

  /** Keeps the facts that are lost with the record of a removed deployment. Called in the transaction that removes it. */
  close({ id, status, deployedAt }: Deployment, now: string): void {
    this.#database
      .prepare('UPDATE releases SET status = ?, deployed_at = ?, removed_at = ? WHERE id = ?')
      .run([status, deployedAt, now, id])
  }

  /** The given ids of deployments that were removed before the given time. */
  removedBefore(time: string, ids: readonly string[]): string[] {
    return this.#database
      .prepare<{ id: string }>(
        'SELECT id FROM releases WHERE removed_at <= ? AND id IN (SELECT value FROM json_each(?))',
      )
      .all([time, JSON.stringify(ids)])
      .map(({ id }) => id)
  }

  /** Removes releases whose deployments were removed before the given time, except for the newest `kept` versions. */
  prune(server: string, environment: Environment, kept: number, removedBefore: string): void {
    this.#table.remove(
      `server = @server AND environment = @environment AND removed_at <= @removedBefore AND version <=
       (SELECT max(version) FROM releases WHERE server = @server AND environment = @environment) - @kept`,
      { server, environment, kept, removedBefore },
    )
  }
}
