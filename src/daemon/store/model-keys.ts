import type { Database } from './database.ts'

export interface ModelKey {
  vendor: string
  /** The key, sealed. */
  sealed: Buffer
  baseUrl: string | null
  /** Its last characters, to tell keys apart. */
  hint: string
  createdAt: string
}

interface ModelKeyRow {
  vendor: string
  sealed: Buffer
  base_url: string | null
  hint: string
  created_at: string
}

export class ModelKeyStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  list(): ModelKey[] {
    return this.#database
      .prepare<ModelKeyRow>('SELECT * FROM model_keys ORDER BY vendor')
      .all()
      .map(toModelKey)
  }

  find(vendor: string): ModelKey | undefined {
    const row = this.#database.prepare<ModelKeyRow>('SELECT * FROM model_keys WHERE vendor = ?').get([vendor])
    return row && toModelKey(row)
  }

  /** In place of an earlier one. */
  save(key: ModelKey): void {
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO model_keys (vendor, sealed, base_url, hint, created_at)
         VALUES (@vendor, @sealed, @baseUrl, @hint, @createdAt)`,
      )
      .run(key)
  }

  /** False when there was none. */
  remove(vendor: string): boolean {
    return this.#database.prepare('DELETE FROM model_keys WHERE vendor = ?').run([vendor]) === 1
  }
}

function toModelKey(row: ModelKeyRow): ModelKey {
  return {
    vendor: row.vendor,
    sealed: row.sealed,
    baseUrl: row.base_url,
    hint: row.hint,
    createdAt: row.created_at,
  }
}
