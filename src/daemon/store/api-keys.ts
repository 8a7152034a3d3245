import type { Plan, Scope } from '../../shared/scopes.ts'
import type { Database } from './database.ts'
import { selectPage } from './keyset.ts'

export interface ApiKey {
  id: string
  name: string
  /** SHA-256 of the secret, hexadecimal; the secret itself is nowhere. */
  hash: string
  scopes: Scope[]
  plan: Plan
  userId: string
  idpUid: string
  /** Made by the daemon for the owner of the home. */
  isOwner: boolean
  createdAt: string
  lastUsedAt: string | null
  expiresAt: string | null
}

interface ApiKeyRow {
  id: string
  name: string
  hash: string
  scopes: string
  plan: Plan
  user_id: string
  idp_uid: string
  is_owner: number
  created_at: string
  last_used_at: string | null
  expires_at: string | null
}

export class ApiKeyStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(id: string): ApiKey | undefined {
    const row = this.#database.prepare<ApiKeyRow>('SELECT * FROM api_keys WHERE id = ?').get([id])
    return row && toApiKey(row)
  }

  findByHash(hash: string): ApiKey | undefined {
    const row = this.#database.prepare<ApiKeyRow>('SELECT * FROM api_keys WHERE hash = ?').get([hash])
    return row && toApiKey(row)
  }

  findOwner(): ApiKey | undefined {
    const sql = 'SELECT * FROM api_keys WHERE is_owner = 1 ORDER BY created_at DESC LIMIT 1'
    const row = this.#database.prepare<ApiKeyRow>(sql).get()
    return row && toApiKey(row)
  }

  list(limit: number, cursor?: string): { items: ApiKey[]; nextCursor: string | null } {
    const { rows, nextCursor } = selectPage<ApiKeyRow>(this.#database, {
      table: 'api_keys',
      filters: {},
      limit,
      cursor,
    })
    return { items: rows.map(toApiKey), nextCursor }
  }

  create(key: ApiKey): void {
    this.#database
      .prepare(
        `INSERT INTO api_keys (id, name, hash, scopes, plan, user_id, idp_uid, is_owner, created_at, last_used_at, expires_at)
         VALUES (@id, @name, @hash, @scopes, @plan, @user_id, @idp_uid, @is_owner, @created_at, @last_used_at, @expires_at)`,
      )
      .run(toRow(key))
  }

  /** Written with every request, so on the connection that does not wait for the disk. */
  touch(id: string, now: string): void {
    this.#database.relaxed.prepare('UPDATE api_keys SET last_used_at = ? WHERE id = ?').run(now, id)
  }

  /** With the counter of its requests. False when there was none. */
  remove(id: string): boolean {
    return this.#database.transaction(() => {
      this.#database.prepare('DELETE FROM rate_limits WHERE key = ?').run([id])
      return this.#database.prepare('DELETE FROM api_keys WHERE id = ?').run([id]) === 1
    })
  }
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    scopes: JSON.parse(row.scopes),
    plan: row.plan,
    userId: row.user_id,
    idpUid: row.idp_uid,
    isOwner: row.is_owner === 1,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  }
}

function toRow(key: ApiKey): ApiKeyRow {
  return {
    id: key.id,
    name: key.name,
    hash: key.hash,
    scopes: JSON.stringify(key.scopes),
    plan: key.plan,
    user_id: key.userId,
    idp_uid: key.idpUid,
    is_owner: key.isOwner ? 1 : 0,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    expires_at: key.expiresAt,
  }
}
