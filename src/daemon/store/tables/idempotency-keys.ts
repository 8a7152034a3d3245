import type { Database } from '../database.ts'

export interface IdempotencyRecord {
  apiKeyId: string
  key: string
  /** Hash that identifies the request. */
  fingerprint: string
  createdAt: string
}

interface Row {
  fingerprint: string
  answer: Buffer | null
}

/** Idempotency keys by API key, with the encrypted answer of each finished request. */
export class IdempotencyKeyStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(apiKeyId: string, key: string): Row | undefined {
    return this.#database
      .prepare<Row>('SELECT fingerprint, answer FROM idempotency_keys WHERE api_key_id = ? AND key = ?')
      .get([apiKeyId, key])
  }

  create(record: IdempotencyRecord): void {
    this.#database
      .prepare(
        `INSERT INTO idempotency_keys (api_key_id, key, fingerprint, created_at)
         VALUES (@apiKeyId, @key, @fingerprint, @createdAt)`,
      )
      .run(record)
  }

  setAnswer(apiKeyId: string, key: string, answer: Buffer): void {
    this.#database
      .prepare('UPDATE idempotency_keys SET answer = ? WHERE api_key_id = ? AND key = ?')
      .run([answer, apiKeyId, key])
  }

  remove(apiKeyId: string, key: string): void {
    this.#database
      .prepare('DELETE FROM idempotency_keys WHERE api_key_id = ? AND key = ?')
      .run([apiKeyId, key])
  }

  /** Removes the oldest answers of an API key beyond a number or a total size. Keeps running requests. */
  trim(apiKeyId: string, { maxCount, maxBytes }: { maxCount: number; maxBytes: number }): void {
    this.#database
      .prepare(
        `DELETE FROM idempotency_keys WHERE id IN (
           SELECT id FROM (
             SELECT id, row_number() OVER newest AS position, sum(length(answer)) OVER newest AS bytes
             FROM idempotency_keys WHERE api_key_id = @apiKeyId AND answer IS NOT NULL
             WINDOW newest AS (ORDER BY id DESC))
           WHERE position > @maxCount OR bytes > @maxBytes)`,
      )
      .run({ apiKeyId, maxCount, maxBytes })
  }

  /** Removes keys that were created at this time or earlier. */
  removeUntil(time: string): void {
    this.#database.prepare('DELETE FROM idempotency_keys WHERE created_at <= ?').run([time])
  }

  clear(): void {
    this.#database.prepare('DELETE FROM idempotency_keys').run()
  }
}
