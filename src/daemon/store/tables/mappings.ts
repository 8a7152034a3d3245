import type { MappingRecord } from '../../../shared/contract/deployments/mappings.ts'
import type { Environment } from '../../../shared/contract/states.ts'
import type { Database } from '../database.ts'
import { TableStore } from '../record-store.ts'
import type { Page } from '../table.ts'

/** A subdomain of one environment of a server, whatever is deployed there. */
export type Mapping = Pick<MappingRecord, 'subdomain' | 'server' | 'environment' | 'createdAt' | 'updatedAt'>

/** The column `id` is the subdomain. */
type StoredMapping = Omit<Mapping, 'subdomain'> & { id: string }

export class MappingStore extends TableStore<StoredMapping> {
  constructor(database: Database) {
    super(database, 'mappings')
  }

  find(subdomain: string): Mapping | undefined {
    const found = this.table.find('WHERE id = ?', [subdomain])
    return found && toMapping(found)
  }

  subdomainsOf(server: string, environment: Environment): string[] {
    return this.table
      .list('WHERE server = ? AND environment = ? ORDER BY id', [server, environment])
      .map(({ id }) => id)
  }

  subdomains(): string[] {
    return this.table.list('').map(({ id }) => id)
  }

  list(limit: number, cursor?: string): Page<Mapping> {
    const { items, nextCursor } = this.table.page({ filters: {}, limit, cursor })
    return { items: items.map(toMapping), nextCursor }
  }

  /** Creates the mapping or changes its target. */
  put({ subdomain, server, environment, updatedAt }: Omit<Mapping, 'createdAt'>): void {
    this.table.insert(
      { id: subdomain, server, environment, createdAt: updatedAt, updatedAt },
      `ON CONFLICT (id) DO UPDATE SET server = excluded.server, environment = excluded.environment,
         updated_at = excluded.updated_at`,
    )
  }

  /** Returns false when there was no such mapping. */
  remove(subdomain: string): boolean {
    return this.table.remove('id = ?', [subdomain]) > 0
  }

  removeByServer(server: string, environment?: Environment): void {
    this.table.remove('server = @server AND (@environment IS NULL OR environment = @environment)', {
      server,
      environment: environment ?? null,
    })
  }
}

function toMapping({ id, ...rest }: StoredMapping): Mapping {
  return { subdomain: id, ...rest }
}
