import type { LookupAddress } from 'node:dns'
import type { TcpSocketConnectOpts } from 'node:net'

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void
export type Lookup = (
  host: string,
  options: { all?: boolean | undefined; family?: unknown },
  callback: LookupCallback,
) => void

/** Network route of handler modules: through the egress process, or direct if the policy permits. */
export interface NetworkRoute {
  /** Options for Node's own `connect` that lead to the destination, or to an error with the reason. */
  connectOptions(options: Partial<TcpSocketConnectOpts>, host: string, port: number): TcpSocketConnectOpts
  /** All addresses of a name. */
  lookUp(host: string): Promise<string[]>
  /** Records, as `dns.resolve` returns them. */
  resolve(host: string, records: string): Promise<unknown>
}

/** Addresses returned by a caller's `lookup`. */
export function callLookup(lookup: Lookup, host: string): Promise<string[]> {
  return new Promise((resolve, reject) =>
    lookup(host, { all: false }, (error, address) => {
      if (error) reject(error)
      else resolve(typeof address === 'string' ? [address] : address.map(one => one.address))
    }),
  )
}
