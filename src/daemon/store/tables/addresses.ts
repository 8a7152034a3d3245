import type { Environment } from '../../../shared/contract/states.ts'
import type { Database } from '../database.ts'
import { TableStore } from '../record-store.ts'

/** A server has one address per environment, and one for its preview. */
export type Slot = Environment | 'preview'

export interface Address {
  server: string
  slot: Slot
  port: number
  subdomain: string | null
}

export class AddressStore extends TableStore<Address> {
  constructor(database: Database) {
    super(database, 'addresses')
  }

  find(server: string, slot: Slot): Address | undefined {
    return this.table.find('WHERE server = ? AND slot = ?', [server, slot])
  }

  findBySubdomain(subdomain: string): Address | undefined {
    return this.table.find('WHERE subdomain = ?', [subdomain])
  }

  /** Subdomains of environments. Those of previews are not served. */
  subdomains(): string[] {
    return this.table
      .list("WHERE subdomain IS NOT NULL AND slot <> 'preview'")
      .map(({ subdomain }) => subdomain!)
  }

  isPortTaken(port: number): boolean {
    return this.table.exists('port = ?', [port])
  }

  /** The address keeps its port. Returns false when no address has the subdomain. */
  removeSubdomain(subdomain: string): boolean {
    const update = this.database.prepare('UPDATE addresses SET subdomain = NULL WHERE subdomain = ?')
    return update.run([subdomain]) > 0
  }

  /** Frees the ports and subdomains of a removed server. */
  removeByServer(server: string): void {
    this.table.remove('server = ?', [server])
  }

  /** Throws CONFLICT when another address has the port or the subdomain. */
  create(address: Address): void {
    this.table.insert(address)
  }
}
