import type { DestinationCounts } from '../shared/network/egress-protocol.ts'
import type { RefusalReason } from '../shared/network/network-policy.ts'

/** Maximum number of separately counted destinations. The rest share one counter, because user code can name any number. */
const MAX_DESTINATIONS = 200
const MAX_HOST_CHARACTERS = 253
const OTHER = '(other)'

/** Counters of one process by destination, since the last `take`. */
export class Ledger {
  readonly #counts = new Map<string, DestinationCounts>()
  /** Destinations that are counted separately. */
  readonly #known = new Set<string>()
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  connected(host: string, port: number): void {
    this.#countsOf(host, port).connections++
  }

  failed(host: string, port: number): void {
    this.#countsOf(host, port).failures++
  }

  refused(host: string, port: number, reason: RefusalReason): void {
    const counts = this.#countsOf(host, port)
    counts.refusals++
    counts.reason = reason
  }

  moved(host: string, port: number, bytesSent: number, bytesReceived: number): void {
    if (bytesSent === 0 && bytesReceived === 0) return
    const counts = this.#countsOf(host, port)
    counts.bytesSent += bytesSent
    counts.bytesReceived += bytesReceived
  }

  take(): DestinationCounts[] {
    const taken = [...this.#counts.values()]
    this.#counts.clear()
    return taken
  }

  #countsOf(givenHost: string, givenPort: number): DestinationCounts {
    const { host, port } = this.#name(givenHost, givenPort)
    const key = `${host} ${port}`
    let counts = this.#counts.get(key)
    if (!counts) {
      counts = { host, port, connections: 0, failures: 0, refusals: 0, bytesSent: 0, bytesReceived: 0 }
      this.#counts.set(key, counts)
    }
    this.#onChange()
    return counts
  }

  #name(host: string, port: number): { host: string; port: number } {
    const shown = host.slice(0, MAX_HOST_CHARACTERS)
    const key = `${shown} ${port}`
    if (!this.#known.has(key) && this.#known.size >= MAX_DESTINATIONS) return { host: OTHER, port: 0 }
    this.#known.add(key)
    return { host: shown, port }
  }
}
