import type { Environment } from '../../../shared/contract/states.ts'
import type { Database } from '../database.ts'

/**
 * Records of the authorization servers of protected deployments. `mcp-hosting/oauth` creates the table for the first of
 * them. The prefix of a kind is `<server>/<environment> `. Server names never contain a slash.
 */
export class SignInRecordStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Ids of revoked grants and tokens of `<server>/<environment>` with the expiry of their last token in Unix seconds, newest
   * first.
   */
  revoked(address: string, now: number, limit: number): [id: string, until: number][] {
    const sql =
      'SELECT key, expires_at FROM oauth_records WHERE kind = ? AND expires_at > ? ORDER BY expires_at DESC LIMIT ?'
    const rows = this.#database
      .prepare<{ key: string; expires_at: number }>(sql)
      .all([`${address} revoked`, now, limit])
    return rows.map(({ key, expires_at }) => [key, expires_at])
  }

  /** Removes clients, grants and keys of one environment of a server, or of all. */
  removeByServer(server: string, environment?: Environment): void {
    if (!this.#exists()) return
    this.#database
      .prepare('DELETE FROM oauth_records WHERE kind >= ? AND kind < ?')
      // "0" is the character after "/", and "!" is the one after " ".
      .run(
        environment === undefined
          ? [`${server}/`, `${server}0`]
          : [`${server}/${environment} `, `${server}/${environment}!`],
      )
  }

  #exists(): boolean {
    const sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'oauth_records'"
    return this.#database.prepare(sql).get() !== undefined
  }
}
