import type { Database } from './database.ts'

/** An uploaded archive of a project. */
export interface Source {
  id: string
  projectId: string
  /** SHA-256 of the archive, its name under `sources/`. */
  digest: string
  format: 'tar.gz' | 'zip'
  sizeBytes: number
  createdAt: string
  /** When it was uploaded last. */
  usedAt: string
}

interface SourceRow {
  id: string
  project_id: string
  digest: string
  format: Source['format']
  size_bytes: number
  created_at: string
  used_at: string
}

export class SourceStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(id: string): Source | undefined {
    const row = this.#database.prepare<SourceRow>('SELECT * FROM sources WHERE id = ?').get([id])
    return row && toSource(row)
  }

  findByDigest(digest: string): Source | undefined {
    const row = this.#database
      .prepare<SourceRow>('SELECT * FROM sources WHERE digest = ? ORDER BY used_at DESC LIMIT 1')
      .get([digest])
    return row && toSource(row)
  }

  /** Of a project, what was uploaded last first. */
  ofProject(projectId: string): Source[] {
    return this.#database
      .prepare<SourceRow>('SELECT * FROM sources WHERE project_id = ? ORDER BY used_at DESC')
      .all([projectId])
      .map(toSource)
  }

  /** A project has an archive once: uploaded again it keeps its id. Gives the record as it is then. */
  put(source: Source): Source {
    const row = this.#database
      .prepare<SourceRow>(
        `INSERT INTO sources (id, project_id, digest, format, size_bytes, created_at, used_at)
         VALUES (@id, @project_id, @digest, @format, @size_bytes, @created_at, @used_at)
         ON CONFLICT (project_id, digest) DO UPDATE SET used_at = excluded.used_at RETURNING *`,
      )
      .get(toRow(source))
    return toSource(row!)
  }

  remove(id: string): void {
    this.#database.prepare('DELETE FROM sources WHERE id = ?').run([id])
  }

  /** Whether a build is being made of the archive, or was made of it and may be served. */
  hasBuilds(digest: string): boolean {
    const sql = "SELECT 1 FROM builds WHERE source_digest = ? AND status <> 'failed' LIMIT 1"
    return this.#database.prepare(sql).get([digest]) !== undefined
  }

  /** Which of these archives no project or build needs. */
  unusedDigests(digests: readonly string[]): string[] {
    return this.#unused(
      digests,
      `NOT EXISTS (SELECT 1 FROM sources WHERE sources.digest = value)
       AND NOT EXISTS (SELECT 1 FROM builds WHERE source_digest = value AND status <> 'failed')`,
    )
  }

  /** Which of these no build was made of. */
  unbuiltDigests(digests: readonly string[]): string[] {
    return this.#unused(
      digests,
      "NOT EXISTS (SELECT 1 FROM builds WHERE source_digest = value AND status <> 'failed')",
    )
  }

  /** Whether any project or build needs the archive. */
  digestInUse(digest: string): boolean {
    const sql = 'SELECT 1 FROM sources WHERE digest = ? LIMIT 1'
    return this.hasBuilds(digest) || this.#database.prepare(sql).get([digest]) !== undefined
  }

  #unused(digests: readonly string[], condition: string): string[] {
    return this.#database
      .prepare<{ digest: string }>(`SELECT value AS digest FROM json_each(?) WHERE ${condition}`)
      .all([JSON.stringify(digests)])
      .map(({ digest }) => digest)
  }
}

function toSource(row: SourceRow): Source {
  return {
    id: row.id,
    projectId: row.project_id,
    digest: row.digest,
    format: row.format,
    sizeBytes: row.size_bytes,
    createdAt: row.created_at,
    usedAt: row.used_at,
  }
}

function toRow(source: Source): SourceRow {
  return {
    id: source.id,
    project_id: source.projectId,
    digest: source.digest,
    format: source.format,
    size_bytes: source.sizeBytes,
    created_at: source.createdAt,
    used_at: source.usedAt,
  }
}
