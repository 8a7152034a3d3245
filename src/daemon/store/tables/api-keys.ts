import type { Plan, Scope } from '../../../shared/contract/access/scopes.ts'
import type { Database } from '../database.ts'
import { RecordStore } from '../record-store.ts'
import type { Page } from '../table.ts'

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

export class ApiKeyStore extends RecordStore<ApiKey> {
  constructor(database: Database) {
    super(database, 'api_keys', { json: ['scopes'], booleans: ['isOwner'] })
  }

  findByHash(hash: string): ApiKey | undefined {
    return this.table.find('WHERE hash = ?', [hash])
  }

  findOwner(): ApiKey | undefined {
    return this.table.find('WHERE is_owner = 1 ORDER BY created_at DESC LIMIT 1')
  }

  /** Keys with this name, newest first. Older databases may have several. */
  listByName(name: string): ApiKey[] {
    return this.table.list('WHERE name = ? ORDER BY created_at DESC, id DESC', [name])
  }

  list(limit: number, cursor?: string): Page<ApiKey> {
    return this.table.page({ filters: {}, limit, cursor })
  }

  /** Called for every request, so the write uses the connection that does not wait for the disk. */
  touch(id: string, now: string): void {
    this.database.relaxed.prepare('UPDATE api_keys SET last_used_at = ? WHERE id = ?').run(now, id)
  }

  /** Removes the key and its request counter. Returns false when there was no such key. */
  override remove(id: string): boolean {
    return this.database.transaction(() => {
      this.database.prepare('DELETE FROM rate_limits WHERE key = ?').run([id])
      return super.remove(id)
    })
  }
}
