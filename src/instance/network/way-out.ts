import type { LookupAddress } from 'node:dns'
import type { TcpSocketConnectOpts } from 'node:net'

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void
export type Lookup = (
  host: string,
  options: { all?: boolean | undefined; family?: unknown },
  callback: LookupCallback,
) => void

/** How handler modules reach a network: through the egress process, or directly where the policy permits it. */
export interface WayOut {
  /** Options for Node's own `connect` that lead to the destination, or to an error that says why not. */
  connectOptions(options: Partial<TcpSocketConnectOpts>, host: string, port: number): TcpSocketConnectOpts
  /** All addresses of a name. */
  lookUp(host: string): Promise<string[]>
  /** Records as `dns.resolve` gives them. */
  resolve(host: string, records: string): Promise<unknown>
}

/** The addresses that a `lookup` of the caller gives. */
export function callLookup(lookup: Lookup, host: string): Promise<string[]> {
  return new Promise((resolve, reject) =>
    lookup(host, { all: false }, (error, address) => {
      if (error) reject(error)
      else resolve(typeof address === 'string' ? [address] : address.map(one => one.address))
    }),
  )
}
