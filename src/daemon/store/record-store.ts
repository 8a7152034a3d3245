import type { Database } from './database.ts'
import { type Encodings, Table } from './table.ts'

/** One table of the database. */
export class TableStore<T extends object> {
  protected readonly database: Database
  protected readonly table: Table<T>

  constructor(database: Database, name: string, encodings?: Encodings<T>) {
    this.database = database
    this.table = new Table(database, name, encodings)
  }
}

/** A table of records with an `id`. */
export class RecordStore<T extends { id: string }> extends TableStore<T> {
  find(id: string): T | undefined {
    return this.table.find('WHERE id = ?', [id])
  }

  create(record: T): void {
    this.table.insert(record)
  }

  /** Returns false when there was no such record. */
  remove(id: string): boolean {
    return this.table.remove('id = ?', [id]) === 1
  }
}
