import type { Environment } from '../../shared/states.ts'
import type { Database } from './database.ts'
import { selectPage } from './keyset.ts'

/** A subdomain that leads to one environment of a server, whatever is deployed there. */
export interface Mapping {
  subdomain: string
  server: string
  environment: Environment
  createdAt: string
  updatedAt: string
}

interface MappingRow {
  /** The subdomain. */
  id: string
  server: string
  environment: Environment
  created_at: string
  updated_at: string
}

export class MappingStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(subdomain: string): Mapping | undefined {
    const row = this.#database.prepare<MappingRow>('SELECT * FROM mappings WHERE id = ?').get([subdomain])
    return row && toMapping(row)
  }

  /** Subdomains that lead there. */
  subdomainsOf(server: string, environment: Environment): string[] {
    return this.#database
      .prepare<{ id: string }>('SELECT id FROM mappings WHERE server = ? AND environment = ? ORDER BY id')
      .all([server, environment])
      .map(({ id }) => id)
  }

  list(limit: number, cursor?: string): { items: Mapping[]; nextCursor: string | null } {
    const { rows, nextCursor } = selectPage<MappingRow>(this.#database, {
      table: 'mappings',
      filters: {},
      limit,
      cursor,
    })
    return { items: rows.map(toMapping), nextCursor }
  }

  /** Makes it, or leads it elsewhere. */
  put({ subdomain, server, environment, updatedAt }: Omit<Mapping, 'createdAt'>): void {
    this.#database
      .prepare(
        `INSERT INTO mappings (id, server, environment, created_at, updated_at)
         VALUES (@subdomain, @server, @environment, @updatedAt, @updatedAt)
         ON CONFLICT (id) DO UPDATE SET server = @server, environment = @environment, updated_at = @updatedAt`,
      )
      .run({ subdomain, server, environment, updatedAt })
  }

  /** False when there was none. */
  remove(subdomain: string): boolean {
    return this.#database.prepare('DELETE FROM mappings WHERE id = ?').run([subdomain]) > 0
  }

  removeOf(server: string): void {
    this.#database.prepare('DELETE FROM mappings WHERE server = ?').run([server])
  }
}

function toMapping({ id, server, environment, created_at, updated_at }: MappingRow): Mapping {
  return { subdomain: id, server, environment, createdAt: created_at, updatedAt: updated_at }
}
