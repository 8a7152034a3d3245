import { promises as dns } from 'node:dns'

/** Resolves names to addresses and records. Tests provide their own. */
export interface Resolver {
  lookup(host: string): Promise<string[]>
  resolve(host: string, records: string): Promise<unknown>
}

/** The machine's name service, including its hosts file. */
export const systemResolver: Resolver = {
  async lookup(host) {
    const addresses = await dns.lookup(host, { all: true })
    return addresses.map(({ address }) => address)
  },
  resolve: (host, records) => dns.resolve(host, records as 'TXT'),
}
