import type { Database } from '../database.ts'
import { RecordStore } from '../record-store.ts'

/** An uploaded archive of a project. */
export interface Source {
  id: string
  projectId: string
  /** SHA-256 of the archive, also the name of its file below `sources/`, without the extension. */
  digest: string
  format: 'tar.gz' | 'zip'
  sizeBytes: number
  createdAt: string
  /** Time of the last upload. */
  usedAt: string
}

export class SourceStore extends RecordStore<Source> {
  constructor(database: Database) {
    super(database, 'sources')
  }

  findByDigest(digest: string): Source | undefined {
    return this.table.find('WHERE digest = ? ORDER BY used_at DESC LIMIT 1', [digest])
  }

  /** Last upload first. */
  listByProject(projectId: string): Source[] {
    return this.table.list('WHERE project_id = ? ORDER BY used_at DESC', [projectId])
  }

  /** Stores an archive once per project. A repeated upload keeps its id. Returns the stored record. */
  put(source: Source): Source {
    this.table.insert(source, 'ON CONFLICT (project_id, digest) DO UPDATE SET used_at = excluded.used_at')
    return this.table.find('WHERE project_id = ? AND digest = ?', [source.projectId, source.digest])!
  }

  /** Whether a build from the archive is running or ready. */
  hasBuilds(digest: string): boolean {
    const sql = "SELECT 1 FROM builds WHERE source_digest = ? AND status <> 'failed' LIMIT 1"
    return this.database.prepare(sql).get([digest]) !== undefined
  }

  /** The given digests that no project or build needs. */
  unusedDigests(digests: readonly string[]): string[] {
    return this.#unusedDigests(
      digests,
      `NOT EXISTS (SELECT 1 FROM sources WHERE sources.digest = value)
       AND NOT EXISTS (SELECT 1 FROM builds WHERE source_digest = value AND status <> 'failed')`,
    )
  }

  /** The given digests that no running or ready build came from. */
  unbuiltDigests(digests: readonly string[]): string[] {
    return this.#unusedDigests(
      digests,
      "NOT EXISTS (SELECT 1 FROM builds WHERE source_digest = value AND status <> 'failed')",
    )
  }

  /** Whether any project or build needs the archive. */
  isDigestUsed(digest: string): boolean {
    return this.hasBuilds(digest) || this.table.exists('digest = ?', [digest])
  }

  #unusedDigests(digests: readonly string[], condition: string): string[] {
    const sql = `SELECT value FROM json_each(?) WHERE ${condition}`
    return this.database.values(sql, [JSON.stringify(digests)])
  }
}
