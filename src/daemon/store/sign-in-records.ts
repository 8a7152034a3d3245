import type { Database } from './database.ts'

/**
 * What the authorization servers of protected deployments keep: the table is that of `mcp-hosting/oauth`, which makes it with the
 * first of them. Kinds begin with `<server>/<environment> `, and names of servers hold no slash.
 */
export class SignInRecordStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Ids of revoked grants and tokens of a place, each with when its last token ends (Unix seconds); the newest so many. */
  revoked(place: string, now: number, limit: number): [id: string, until: number][] {
    const sql =
      'SELECT key, expires_at FROM oauth_records WHERE kind = ? AND expires_at > ? ORDER BY expires_at DESC LIMIT ?'
    const rows = this.#database
      .prepare<{ key: string; expires_at: number }>(sql)
      .all([`${place} revoked`, now, limit])
    return rows.map(({ key, expires_at }) => [key, expires_at])
  }

  /** Clients, grants and keys of all environments of a server. */
  removeOf(server: string): void {
    if (!this.#exists()) return
    this.#database
      .prepare('DELETE FROM oauth_records WHERE kind >= ? AND kind < ?')
      // "0" comes after "/".
      .run([`${server}/`, `${server}0`])
  }

  #exists(): boolean {
    const sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'oauth_records'"
    return this.#database.prepare(sql).get() !== undefined
  }
}
