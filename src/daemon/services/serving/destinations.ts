import type { Destination } from '../../../shared/contract/monitoring/metrics.ts'
import type { LogLine } from '../../../shared/instances/log-line.ts'
import type { DestinationCounts } from '../../../shared/network/egress-protocol.ts'
import { describeRefusal } from '../../../shared/network/network-policy.ts'
import type { Store } from '../../store/store.ts'
import type { Clock } from '../clock.ts'

const FLUSH_MS = 60_000
/** A repeated refusal is logged again after this time, with its count. */
const REPEAT_MS = 600_000
/** Maximum number of destinations per deployment whose refusals are logged. */
const MAX_LINES = 50
/** Maximum number of listed destinations per deployment. The egress process counts the rest together. */
const MAX_LISTED = 200

export interface DestinationsOptions {
  store: Store
  clock: Clock
  onError(error: unknown): void
  onRefused(servedId: string, line: LogLine): void
}

interface LoggedRefusal {
  at: number
  /** Refusals since `at`. */
  unlogged: number
}

/**
 * Destinations that the code of deployments connects to, accumulated in memory and written once a minute. Refusals are written to
 * the server's log, at most every ten minutes per destination.
 */
export class Destinations {
  readonly #options: DestinationsOptions
  readonly #pending = new Map<string, Map<string, Destination>>()
  readonly #logged = new Map<string, Map<string, LoggedRefusal>>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: DestinationsOptions) {
    this.#options = options
  }

  /** `id` belongs to a deployment or preview. */
  record(id: string, entries: readonly DestinationCounts[]): void {
    const now = this.#options.clock.now()
    for (const counts of entries) {
      this.#add(id, counts, now)
      if (counts.refusals > 0) this.#logRefusal(id, counts, now)
    }
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref()
  }

  /** Destinations of a deployment, most used first. */
  list(id: string): Destination[] {
    const sums = new Map<string, Destination>()
    for (const one of [
      ...this.#options.store.destinations.list(id),
      ...(this.#pending.get(id)?.values() ?? []),
    ])
      addTo(sums, one)
    return [...sums.values()]
      .sort((a, b) => b.connections + b.refusals - (a.connections + a.refusals))
      .slice(0, MAX_LISTED)
  }

  /** Writes pending counts. Never throws. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#pending.size > 0) this.#write()
    const old = Date.parse(this.#options.clock.now()) - REPEAT_MS
    for (const [id, lines] of this.#logged)
      if ([...lines.values()].every(({ at }) => at < old)) this.#logged.delete(id)
  }

  #write(): void {
    try {
      this.#options.store.destinations.add(
        [...this.#pending].map(([id, all]) => ({ id, all: [...all.values()] })),
      )
      this.#pending.clear()
    } catch (error) {
      this.#options.onError(error)
    }
  }

  #add(id: string, counts: DestinationCounts, now: string): void {
    const known = this.#pending.get(id) ?? new Map<string, Destination>()
    this.#pending.set(id, known)
    const { host, port, connections, failures, refusals, bytesSent, bytesReceived } = counts
    addTo(known, { host, port, connections, failures, refusals, bytesSent, bytesReceived, lastAt: now })
  }

  #logRefusal(
    id: string,
    { host, port, refusals, reason = 'unlisted' }: DestinationCounts,
    now: string,
  ): void {
    const lines = this.#logged.get(id) ?? new Map<string, LoggedRefusal>()
    this.#logged.set(id, lines)
    const key = `${reason} ${host}:${port}`
    const at = Date.parse(now)
    const logged = lines.get(key)
    if (logged && at - logged.at < REPEAT_MS) {
      logged.unlogged += refusals
      return
    }
    const times = (logged?.unlogged ?? 0) + refusals
    if (!logged && lines.size >= MAX_LINES) return
    lines.set(key, { at, unlogged: 0 })
    const message = `${describeRefusal({ reason, host, port })}${times > 1 ? ` (${times} times)` : ''}`
    this.#options.onRefused(id, { timestamp: now, level: 'warn', stream: 'server', message })
  }
}

function addTo(sums: Map<string, Destination>, one: Destination): void {
  const key = `${one.host} ${one.port}`
  const known = sums.get(key)
  if (!known) return void sums.set(key, { ...one })
  known.connections += one.connections
  known.failures += one.failures
  known.refusals += one.refusals
  known.bytesSent += one.bytesSent
  known.bytesReceived += one.bytesReceived
  if (one.lastAt > known.lastAt) known.lastAt = one.lastAt
}
