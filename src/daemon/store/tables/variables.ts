import type { Environment } from '../../../shared/contract/states.ts'
import type { Database } from '../database.ts'
import { Table } from '../table.ts'

/** An environment variable that every deployment of a server in an environment gets. */
export interface Variable {
  /** Name of the server. It may not exist yet. */
  server: string
  environment: Environment
  name: string
  /** The encrypted value. */
  sealed: Buffer
  /** True if the value is never shown. */
  secret: boolean
  createdAt: string
  updatedAt: string
}

export class VariableStore {
  readonly #table: Table<Variable>

  constructor(database: Database) {
    this.#table = new Table(database, 'variables', { booleans: ['secret'] })
  }

  /** Sorted by name. */
  list(server: string, environment: Environment): Variable[] {
    return this.#table.list('WHERE server = ? AND environment = ? ORDER BY name', [server, environment])
  }

  hasAny(server: string): boolean {
    return this.#table.exists('server = ?', [server])
  }

  removeByServer(server: string, environment?: Environment): void {
    this.#table.remove('server = @server AND (@environment IS NULL OR environment = @environment)', {
      server,
      environment: environment ?? null,
    })
  }

  /** Replaces an earlier value. A secret stays secret. */
  save(variable: Variable): void {
    this.#table.insert(
      variable,
      `ON CONFLICT (server, environment, name) DO UPDATE SET sealed = excluded.sealed,
         secret = max(secret, excluded.secret), updated_at = excluded.updated_at`,
    )
  }

  remove({ server, environment, name }: Pick<Variable, 'server' | 'environment' | 'name'>): void {
    this.#table.remove('server = ? AND environment = ? AND name = ?', [server, environment, name])
  }
}
