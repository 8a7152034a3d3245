import type { Environment } from '../../shared/states.ts'
import type { Database } from './database.ts'

/** What of a server an address belongs to: one environment's deployments, or the preview. */
export type Slot = Environment | 'preview'

export interface Address {
  server: string
  slot: Slot
  port: number
  subdomain: string | null
}

export class AddressStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(server: string, slot: Slot): Address | undefined {
    return this.#database
      .prepare<Address>('SELECT * FROM addresses WHERE server = ? AND slot = ?')
      .get([server, slot])
  }

  findBySubdomain(subdomain: string): Address | undefined {
    return this.#database.prepare<Address>('SELECT * FROM addresses WHERE subdomain = ?').get([subdomain])
  }

  portTaken(port: number): boolean {
    return this.#database.prepare('SELECT 1 FROM addresses WHERE port = ?').get([port]) !== undefined
  }

  /** The address keeps its port. Returns false when no address has the subdomain. */
  removeSubdomain(subdomain: string): boolean {
    const update = this.#database.prepare('UPDATE addresses SET subdomain = NULL WHERE subdomain = ?')
    return update.run([subdomain]) > 0
  }

  /** Frees the ports and subdomains of a server that is gone. */
  removeOf(server: string): void {
    this.#database.prepare('DELETE FROM addresses WHERE server = ?').run([server])
  }

  /** Throws CONFLICT when the port or the subdomain has an owner already. */
  create(address: Address): void {
    this.#database
      .prepare(
        'INSERT INTO addresses (server, slot, port, subdomain) VALUES (@server, @slot, @port, @subdomain)',
      )
      .run({ ...address })
  }
}
