import type { Database } from './database.ts'
import { type KeysetQuery, selectPage } from './keyset.ts'

type Row = Record<string, unknown>
type Field<T> = keyof T & string

/** Fields whose columns have another type: text for JSON, 0 or 1 for booleans. */
export interface Encodings<T> {
  json?: readonly Field<T>[]
  booleans?: readonly Field<T>[]
}

/** One page of a list, newest first. `nextCursor` is null on the last page. */
export interface Page<T> {
  items: T[]
  nextCursor: string | null
}

/** Reads and writes one table as records. Columns are in snake_case, fields in camelCase. */
export class Table<T extends object> {
  readonly #database: Database
  readonly #name: string
  readonly #json: ReadonlySet<string>
  readonly #booleans: ReadonlySet<string>

  constructor(database: Database, name: string, { json = [], booleans = [] }: Encodings<T> = {}) {
    this.#database = database
    this.#name = name
    this.#json = new Set(json)
    this.#booleans = new Set(booleans)
  }

  /** `rest` follows `SELECT * FROM <table>`. */
  find(rest: string, params: object = []): T | undefined {
    const row = this.#database.prepare<Row>(`SELECT * FROM ${this.#name} ${rest}`).get(params)
    return row && this.#toRecord(row)
  }

  list(rest = '', params: object = []): T[] {
    const rows = this.#database.prepare<Row>(`SELECT * FROM ${this.#name} ${rest}`).all(params)
    return rows.map(row => this.#toRecord(row))
  }

  exists(where: string, params: object): boolean {
    const sql = `SELECT 1 FROM ${this.#name} WHERE ${where} LIMIT 1`
    return this.#database.prepare(sql).get(params) !== undefined
  }

  page(query: Omit<KeysetQuery, 'table'>): Page<T> {
    const { rows, nextCursor } = selectPage<Row & { created_at: string; id: string }>(this.#database, {
      table: this.#name,
      ...query,
    })
    return { items: rows.map(row => this.#toRecord(row)), nextCursor }
  }

  /** `rest` follows the values, for example `ON CONFLICT`. Returns the number of changed rows. */
  insert(record: T, rest = ''): number {
    const row = this.#toRow(record)
    const columns = Object.keys(row)
    const sql = `INSERT INTO ${this.#name} (${columns.join(', ')}) VALUES (${columns.map(name => `@${name}`).join(', ')}) ${rest}`
    return this.#database.prepare(sql).run(row)
  }

  /** Writes some fields of the record with this `id`. Returns false if it no longer exists. */
  update(record: T & { id: string }, fields: readonly Field<T>[]): boolean {
    const changes = fields.map(field => `${toColumn(field)} = @${toColumn(field)}`)
    const sql = `UPDATE ${this.#name} SET ${changes.join(', ')} WHERE id = @id`
    return this.#database.prepare(sql).run(this.#toRow(record)) === 1
  }

  /** Returns the number of removed rows. */
  remove(where: string, params: object): number {
    return this.#database.prepare(`DELETE FROM ${this.#name} WHERE ${where}`).run(params)
  }

  #toRecord(row: Row): T {
    const entries = Object.entries(row).map(([column, value]) => {
      const field = toField(column)
      return [field, this.#decode(field, value)]
    })
    return Object.fromEntries(entries) as T
  }

  #toRow(record: T): Row {
    const entries = Object.entries(record).map(([field, value]) => [
      toColumn(field),
      this.#encode(field, value),
    ])
    return Object.fromEntries(entries)
  }

  #decode(field: string, value: unknown): unknown {
    if (this.#booleans.has(field)) return value === 1
    return this.#json.has(field) && value !== null ? JSON.parse(value as string) : value
  }

  #encode(field: string, value: unknown): unknown {
    if (this.#booleans.has(field)) return value ? 1 : 0
    return this.#json.has(field) && value !== null ? JSON.stringify(value) : value
  }
}

const fields = new Map<string, string>()
const columns = new Map<string, string>()

function toField(column: string): string {
  const field = fields.get(column) ?? column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  fields.set(column, field)
  return field
}

function toColumn(field: string): string {
  const column = columns.get(field) ?? field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  columns.set(field, column)
  return column
}
