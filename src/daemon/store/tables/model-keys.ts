import type { Database } from '../database.ts'
import { TableStore } from '../record-store.ts'

export interface ModelKey {
  vendor: string
  /** The encrypted key. */
  sealed: Buffer
  baseUrl: string | null
  /** Last characters of the key, to distinguish keys. */
  hint: string
  createdAt: string
}

export class ModelKeyStore extends TableStore<ModelKey> {
  constructor(database: Database) {
    super(database, 'model_keys')
  }

  find(vendor: string): ModelKey | undefined {
    return this.table.find('WHERE vendor = ?', [vendor])
  }

  /** Replaces an earlier key of the vendor. */
  save(key: ModelKey): void {
    this.table.insert(
      key,
      `ON CONFLICT (vendor) DO UPDATE SET sealed = excluded.sealed, base_url = excluded.base_url,
         hint = excluded.hint, created_at = excluded.created_at`,
    )
  }

  /** Returns false when the vendor had no key. */
  remove(vendor: string): boolean {
    return this.table.remove('vendor = ?', [vendor]) === 1
  }
}
