import type { Database } from '../database.ts'

/** `key_check` is derived from `secret.key` and does not reveal it. */
export type FactName = 'database_id' | 'key_check'

/** Key-value facts about the database itself. */
export class FactStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(name: FactName): string | undefined {
    return this.#database.values<string>('SELECT value FROM facts WHERE name = ?', [name])[0]
  }

  set(name: FactName, value: string): void {
    this.#database.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)').run([name, value])
  }
}
