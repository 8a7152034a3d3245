import type { Failure } from '../../../shared/contract/fields.ts'
import type { BuildState, Template } from '../../../shared/contract/states.ts'
import type { Artifact } from '../../../shared/definitions/artifact.ts'
import type { Database } from '../database.ts'
import { RecordStore } from '../record-store.ts'
import type { Page } from '../table.ts'
import { SUPERSEDED_FAILURE } from './deployments.ts'

export interface Build {
  id: string
  name: string
  template: Template
  status: BuildState
  /** Digest of the artifact. Null until the build is ready. */
  digest: string | null
  tools: string[]
  resources: string[]
  prompts: string[]
  /** Environment variables that the server declares. Known once the build is ready. */
  env: Artifact['env']
  projectId: string | null
  sourceDigest: string | null
  buildMs: number
  error: Failure | null
  createdAt: string
  /** Time after which a temporary build is removed. Null for others. */
  expiresAt: string | null
}

export type BuildFilter = Partial<Pick<Build, 'name' | 'status'>>

export class BuildStore extends RecordStore<Build> {
  constructor(database: Database) {
    super(database, 'builds', { json: ['tools', 'resources', 'prompts', 'env', 'error'] })
  }

  countByStatus(): { status: BuildState; count: number }[] {
    return this.database
      .prepare<{ status: BuildState; count: number }>(
        'SELECT status, count(*) AS count FROM builds GROUP BY status',
      )
      .all()
  }

  list({ name, status }: BuildFilter, limit: number, cursor?: string): Page<Build> {
    return this.table.page({ filters: { name, status }, limit, cursor })
  }

  listByStatus(status: BuildState): Build[] {
    return this.table.list('WHERE status = ?', [status])
  }

  /** Temporary builds that have finished and expired. */
  listExpired(now: string): Build[] {
    return this.table.list("WHERE expires_at <= ? AND status <> 'building'", [now])
  }

  /** Postpones the expiry of a temporary build. */
  extend(id: string, expiresAt: string): void {
    this.database
      .prepare('UPDATE builds SET expires_at = ? WHERE id = ? AND expires_at IS NOT NULL')
      .run([expiresAt, id])
  }

  /** Makes a temporary build permanent. */
  keep(id: string): void {
    this.database.prepare('UPDATE builds SET expires_at = NULL WHERE id = ?').run([id])
  }

  findNewestReady(name: string): Build | undefined {
    return this.table.find("WHERE name = ? AND status = 'ready' ORDER BY created_at DESC, id DESC LIMIT 1", [
      name,
    ])
  }

  /** Oldest first. */
  listByServer(name: string): Build[] {
    return this.table.list('WHERE name = ? ORDER BY created_at, id', [name])
  }

  /**
   * Failed builds, and ready ones that are not the newest of their server and that no deployment or unfinished container
   * build needs. Deployments that failed before they served and were followed by another one need no build. Omits temporary
   * builds.
   */
  listUnused(): Build[] {
    return this.table.list(
      `WHERE expires_at IS NULL AND (status = 'failed' OR (status = 'ready'
       AND id <> (SELECT newest.id FROM builds AS newest WHERE newest.name = builds.name AND newest.status = 'ready'
         AND newest.expires_at IS NULL ORDER BY newest.created_at DESC, newest.id DESC LIMIT 1)
       AND NOT EXISTS (SELECT 1 FROM deployments WHERE deployments.mcp_id = builds.id AND NOT (${SUPERSEDED_FAILURE}))
       AND NOT EXISTS (SELECT 1 FROM container_builds WHERE container_builds.mcp_id = builds.id
         AND container_builds.status IN ('pending', 'in_progress'))))
       ORDER BY created_at, id`,
    )
  }

  /** Digests of the artifacts and source archives that only the given builds need. */
  digestsUsedOnlyBy(ids: readonly string[]): { artifacts: string[]; sources: string[] } {
    const only = (column: 'digest' | 'source_digest', others: string) =>
      this.database.values<string>(
        `WITH given AS (SELECT value AS id FROM json_each(?))
         SELECT DISTINCT ${column} FROM builds WHERE id IN given AND ${column} IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM builds AS other WHERE other.${column} = builds.${column} AND other.id NOT IN given ${others}`,
        [JSON.stringify(ids)],
      )
    return {
      artifacts: only('digest', ')'),
      sources: only(
        'source_digest',
        "AND other.status <> 'failed') AND NOT EXISTS (SELECT 1 FROM sources WHERE sources.digest = source_digest)",
      ),
    }
  }

  /** Digests of the artifacts of all ready builds except the given ones. */
  digestsWithout(ids: readonly string[]): string[] {
    return this.database.values(
      `SELECT DISTINCT digest FROM builds WHERE status = 'ready' AND digest IS NOT NULL
       AND id NOT IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(ids)],
    )
  }

  hasAny(name: string): boolean {
    return this.table.exists('name = ?', [name])
  }

  isDigestUsed(digest: string): boolean {
    return this.table.exists('digest = ?', [digest])
  }

  /** The given digests that no build has. */
  unusedDigests(digests: readonly string[]): string[] {
    const sql = 'SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM builds WHERE digest = value)'
    return this.database.values(sql, [JSON.stringify(digests)])
  }

  /** Digests of the artifacts of all ready builds. */
  digests(): string[] {
    return this.database.values(
      "SELECT DISTINCT digest FROM builds WHERE status = 'ready' AND digest IS NOT NULL",
    )
  }

  /** Writes the fields that change while a build runs. Returns false if the build no longer exists. */
  update(build: Build): boolean {
    return this.table.update(build, [
      'status',
      'digest',
      'tools',
      'resources',
      'prompts',
      'env',
      'buildMs',
      'error',
    ])
  }
}
