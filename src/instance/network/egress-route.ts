import { isIP, type TcpSocketConnectOpts } from 'node:net'
import { EgressClient } from './egress-client.ts'
import { callLookup, type Lookup, type NetworkRoute } from './network-route.ts'

const LOOPBACK = '127.0.0.1'
/** A name that is never resolved. It makes Node call the given `lookup`. */
const DESTINATION = 'destination'

/**
 * Route out of a network namespace. Requests the connection from the egress process first, while Node waits for name
 * resolution. The socket then connects to the egress process, which joins the socket with the requested connection.
 */
export class EgressRoute implements NetworkRoute {
  readonly #client: EgressClient

  constructor(port: number) {
    this.#client = new EgressClient(port)
  }

  connectOptions(options: Partial<TcpSocketConnectOpts>, host: string, port: number): TcpSocketConnectOpts {
    const from = this.#client.nextSource()
    const { lookup: given } = options as { lookup?: Lookup }
    const lookup: Lookup = (_name, _options, callback) => {
      this.#request({ host, port, from }, given).then(
        () => callback(null, LOOPBACK, 4),
        (error: Error) => callback(error, '', 0),
      )
    }
    return {
      port: this.#client.port,
      host: DESTINATION,
      localAddress: from,
      autoSelectFamily: false,
      lookup: lookup as NonNullable<TcpSocketConnectOpts['lookup']>,
    }
  }

  async lookUp(host: string): Promise<string[]> {
    const answer = await this.#client.ask({ type: 'lookup', host })
    return answer.type === 'addresses' ? answer.addresses : []
  }

  async resolve(host: string, records: string): Promise<unknown> {
    const answer = await this.#client.ask({ type: 'resolve', host, records })
    return answer.type === 'records' ? answer.records : []
  }

  async #request(destination: { host: string; port: number; from: string }, given?: Lookup): Promise<void> {
    const [address] = given && isIP(destination.host) === 0 ? await callLookup(given, destination.host) : []
    await this.#client.ask({ type: 'connect', ...destination, ...(address !== undefined && { address }) })
  }
}
