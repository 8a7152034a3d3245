import { promises as dns } from 'node:dns'
import { isIP, type TcpSocketConnectOpts } from 'node:net'
import { type NetworkPolicy, type Refusal, refusalError } from '../../shared/network/network-policy.ts'
import { callLookup, type Lookup, type WayOut } from './way-out.ts'

const DESTINATION = 'destination'

// Captured when loaded: handler modules get other ones.
const lookupName = dns.lookup.bind(dns)
const resolveName = dns.resolve.bind(dns)

/** Direct connections where there is no network namespace: the same policy, kept by functions in the same process. */
export class GuardedWay implements WayOut {
  readonly #policy: NetworkPolicy
  readonly #onRefused: (refusal: Refusal) => void

  constructor(policy: NetworkPolicy, onRefused: (refusal: Refusal) => void) {
    this.#policy = policy
    this.#onRefused = onRefused
  }

  connectOptions(options: Partial<TcpSocketConnectOpts>, host: string, port: number): TcpSocketConnectOpts {
    const { lookup: given } = options as { lookup?: Lookup }
    const lookup: Lookup = (_name, { all }, callback) => {
      this.#permit(host, port, given).then(
        addresses => {
          const found = addresses.map(address => ({ address, family: isIP(address) }))
          if (all) callback(null, found)
          else callback(null, found[0]!.address, found[0]!.family)
        },
        (error: Error) => callback(error, all ? [] : '', 0),
      )
    }
    return {
      ...options,
      port,
      host: DESTINATION,
      lookup: lookup as NonNullable<TcpSocketConnectOpts['lookup']>,
    }
  }

  async lookUp(host: string): Promise<string[]> {
    this.#require(this.#policy.judgeName(host))
    const addresses = (await lookupName(host, { all: true })).map(({ address }) => address)
    this.#require(this.#policy.judgeAddresses(host, 0, addresses))
    return addresses
  }

  resolve(host: string, records: string): Promise<unknown> {
    this.#require(this.#policy.judgeName(host))
    return resolveName(host, records as 'TXT')
  }

  async #permit(host: string, port: number, given: Lookup | undefined): Promise<string[]> {
    this.#require(this.#policy.judgeHost(host, port))
    const addresses = isIP(host) === 0 ? await this.#addressesOf(host, given) : [host]
    this.#require(this.#policy.judgeAddresses(host, port, addresses))
    return addresses
  }

  async #addressesOf(host: string, given: Lookup | undefined): Promise<string[]> {
    if (given) return callLookup(given, host)
    return (await lookupName(host, { all: true })).map(({ address }) => address)
  }

  #require(refusal: Refusal | undefined): void {
    if (!refusal) return
    this.#onRefused(refusal)
    throw refusalError(refusal)
  }
}
