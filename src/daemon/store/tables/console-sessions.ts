import type { Database } from '../database.ts'
import { RecordStore } from '../record-store.ts'

/** A browser that is signed in to the console. */
export interface ConsoleSession {
  id: string
  /** SHA-256 of the browser's cookie, hexadecimal. */
  hash: string
  /** The browser's requests have the rights of this key. */
  apiKeyId: string
  createdAt: string
  expiresAt: string
}

export class ConsoleSessionStore extends RecordStore<ConsoleSession> {
  constructor(database: Database) {
    super(database, 'console_sessions')
  }

  findByHash(hash: string): ConsoleSession | undefined {
    return this.table.find('WHERE hash = ?', [hash])
  }

  /** Also removes expired sessions. */
  override create(session: ConsoleSession): void {
    this.database.transaction(() => {
      this.table.remove('expires_at <= ?', [session.createdAt])
      super.create(session)
    })
  }

  /** Removes a key's sessions. Returns those that had not expired. */
  removeByKey(apiKeyId: string, now: string): ConsoleSession[] {
    return this.database.transaction(() => {
      const removed = this.table.list('WHERE api_key_id = ? AND expires_at > ?', [apiKeyId, now])
      this.table.remove('api_key_id = ?', [apiKeyId])
      return removed
    })
  }
}
