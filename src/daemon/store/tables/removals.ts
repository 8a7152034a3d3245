import type { Environment } from '../../../shared/contract/states.ts'
import type { Database } from '../database.ts'
import { TableStore } from '../record-store.ts'

/** A removal that has begun. */
export interface Removal {
  server: string
  /** Empty for all environments and the builds. */
  environment: Environment | ''
  /** Also removes the stored data and variables. */
  data: boolean
  createdAt: string
}

/** Removals of servers that have begun and are not complete. */
export class RemovalStore extends TableStore<Removal> {
  constructor(database: Database) {
    super(database, 'removals', { booleans: ['data'] })
  }

  /** Oldest first. */
  list(): Removal[] {
    return this.table.list('ORDER BY created_at')
  }

  /** The removal of the server, or of its environment. */
  find(server: string, environment: Environment | ''): Removal | undefined {
    return this.table.find("WHERE server = ? AND environment IN ('', ?) ORDER BY environment", [
      server,
      environment,
    ])
  }

  /** Stores a removal. Repeating it with `data` also removes the data. Returns the stored record. */
  put(removal: Removal): Removal {
    this.table.insert(
      removal,
      'ON CONFLICT (server, environment) DO UPDATE SET data = max(data, excluded.data)',
    )
    return this.table.find('WHERE server = ? AND environment = ?', [removal.server, removal.environment])!
  }

  remove({ server, environment }: Removal): void {
    this.table.remove('server = ? AND environment = ?', [server, environment])
  }
}
