import type { Artifact } from '../../shared/artifact.ts'
import type { Failure } from '../../shared/fields.ts'
import type { BuildState, Template } from '../../shared/states.ts'
import type { Database } from './database.ts'
import { selectPage } from './keyset.ts'

export interface Build {
  id: string
  name: string
  template: Template
  status: BuildState
  /** Of the artifact; null until there is one. */
  digest: string | null
  tools: string[]
  resources: string[]
  prompts: string[]
  /** Environment variables that the server declares; known once it is ready. */
  env: Artifact['env']
  projectId: string | null
  /** Of the source archive that it was made of. */
  sourceDigest: string | null
  buildMs: number
  error: Failure | null
  createdAt: string
}

export interface BuildFilter {
  name?: string
  status?: BuildState
}

interface BuildRow {
  id: string
  name: string
  template: Template
  status: BuildState
  digest: string | null
  tools: string
  resources: string
  prompts: string
  env: string
  project_id: string | null
  source_digest: string | null
  build_ms: number
  error: string | null
  created_at: string
}

export class BuildStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  countByStatus(): { status: BuildState; count: number }[] {
    return this.#database
      .prepare<{ status: BuildState; count: number }>(
        'SELECT status, count(*) AS count FROM builds GROUP BY status',
      )
      .all()
  }

  find(id: string): Build | undefined {
    const row = this.#database.prepare<BuildRow>('SELECT * FROM builds WHERE id = ?').get([id])
    return row && toBuild(row)
  }

  list(filter: BuildFilter, limit: number, cursor?: string): { items: Build[]; nextCursor: string | null } {
    const { rows, nextCursor } = selectPage<BuildRow>(this.#database, {
      table: 'builds',
      filters: { name: filter.name, status: filter.status },
      limit,
      cursor,
    })
    return { items: rows.map(toBuild), nextCursor }
  }

  withStatus(status: BuildState): Build[] {
    return this.#database
      .prepare<BuildRow>('SELECT * FROM builds WHERE status = ?')
      .all([status])
      .map(toBuild)
  }

  newestReady(name: string): Build | undefined {
    const row = this.#database
      .prepare<BuildRow>(
        "SELECT * FROM builds WHERE name = ? AND status = 'ready' ORDER BY created_at DESC, id DESC LIMIT 1",
      )
      .get([name])
    return row && toBuild(row)
  }

  hasAny(name: string): boolean {
    return this.#database.prepare('SELECT 1 FROM builds WHERE name = ? LIMIT 1').get([name]) !== undefined
  }

  digestInUse(digest: string): boolean {
    return this.#database.prepare('SELECT 1 FROM builds WHERE digest = ? LIMIT 1').get([digest]) !== undefined
  }

  /** Which of these no build has. */
  unusedDigests(digests: readonly string[]): string[] {
    return this.#database
      .prepare<{ digest: string }>(
        `SELECT value AS digest FROM json_each(?)
         WHERE NOT EXISTS (SELECT 1 FROM builds WHERE builds.digest = value)`,
      )
      .all([JSON.stringify(digests)])
      .map(({ digest }) => digest)
  }

  create(build: Build): void {
    this.#database
      .prepare(
        `INSERT INTO builds (id, name, template, status, digest, tools, resources, prompts, env, project_id, source_digest, build_ms, error, created_at)
         VALUES (@id, @name, @template, @status, @digest, @tools, @resources, @prompts, @env, @project_id, @source_digest, @build_ms, @error, @created_at)`,
      )
      .run(toRow(build))
  }

  /** Of the artifacts of all ready builds. */
  digests(): string[] {
    const sql = "SELECT DISTINCT digest FROM builds WHERE status = 'ready' AND digest IS NOT NULL"
    return this.#database
      .prepare<{ digest: string }>(sql)
      .all([])
      .map(({ digest }) => digest)
  }

  /** Writes what changes while a build is made. Returns false when the build is gone. */
  update(build: Build): boolean {
    const sql = `UPDATE builds SET status = @status, digest = @digest, tools = @tools, resources = @resources,
      prompts = @prompts, env = @env, build_ms = @build_ms, error = @error WHERE id = @id`
    const { id, status, digest, tools, resources, prompts, env, build_ms, error } = toRow(build)
    const changes = { id, status, digest, tools, resources, prompts, env, build_ms, error }
    return this.#database.prepare(sql).run(changes) === 1
  }

  remove(id: string): void {
    this.#database.prepare('DELETE FROM builds WHERE id = ?').run([id])
  }
}

function toBuild(row: BuildRow): Build {
  return {
    id: row.id,
    name: row.name,
    template: row.template,
    status: row.status,
    digest: row.digest,
    tools: JSON.parse(row.tools),
    resources: JSON.parse(row.resources),
    prompts: JSON.parse(row.prompts),
    env: JSON.parse(row.env),
    projectId: row.project_id,
    sourceDigest: row.source_digest,
    buildMs: row.build_ms,
    error: row.error === null ? null : JSON.parse(row.error),
    createdAt: row.created_at,
  }
}

function toRow(build: Build): BuildRow {
  return {
    id: build.id,
    name: build.name,
    template: build.template,
    status: build.status,
    digest: build.digest,
    tools: JSON.stringify(build.tools),
    resources: JSON.stringify(build.resources),
    prompts: JSON.stringify(build.prompts),
    env: JSON.stringify(build.env),
    project_id: build.projectId,
    source_digest: build.sourceDigest,
    build_ms: build.buildMs,
    error: build.error && JSON.stringify(build.error),
    created_at: build.createdAt,
  }
}
