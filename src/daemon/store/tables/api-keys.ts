import type { Plan, Scope } from '../../../shared/contract/scopes.ts'
import type { Database } from '../database.ts'
import { Table } from '../table.ts'

export interface ApiKey {
  id: string
  name: string
  /** SHA-256 of the secret, hexadecimal. The secret itself is not stored. */
  hash: string
  scopes: Scope[]
  plan: Plan
  userId: string
  idpUid: string
  /** Created by the daemon for the owner of the home. */
  isOwner: boolean
  createdAt: string
  lastUsedAt: string | null
  expiresAt: string | null
}

export class ApiKeyStore {
  readonly #database: Database
  readonly #table: Table<ApiKey>

  constructor(database: Database) {
    this.#database = database
    this.#table = new Table(database, 'api_keys', { json: ['scopes'], booleans: ['isOwner'] })
  }

  find(id: string): ApiKey | undefined {
    return this.#table.find('WHERE id = ?', [id])
  }

  findByHash(hash: string): ApiKey | undefined {
    return this.#table.find('WHERE hash = ?', [hash])
  }

  findOwner(): ApiKey | undefined {
    return this.#table.find('WHERE is_owner = 1 ORDER BY created_at DESC LIMIT 1')
  }

  list(limit: number, cursor?: string): { items: ApiKey[]; nextCursor: string | null } {
    return this.#table.page({ filters: {}, limit, cursor })
  }

  create(key: ApiKey): void {
    this.#table.insert(key)
  }

  /** Every request does this, so it uses the connection that does not wait for the disk. */
  touch(id: string, now: string): void {
    this.#database.relaxed.prepare('UPDATE api_keys SET last_used_at = ? WHERE id = ?').run(now, id)
  }

  /** Removes the key and its request counter. Returns false when there was none. */
  remove(id: string): boolean {
    return this.#database.transaction(() => {
      this.#database.prepare('DELETE FROM rate_limits WHERE key = ?').run([id])
      return this.#table.remove('id = ?', [id]) === 1
    })
  }
}
