import type { StatePlace, Tenant, ToInstance } from '../../../shared/instances/instance-protocol.ts'
import type { StateOperation, StateResult } from '../../../shared/instances/state-operations.ts'

/** Runs operations on the stores of servers. */
export interface StateStores {
  /** May return fewer results than operations. Operations without a result were not run. */
  run(place: StatePlace, operations: readonly StateOperation[]): Promise<StateResult[]>
}

interface Options {
  stores: StateStores | undefined
  send(message: ToInstance, then: () => void): void
  /** The process must be killed. `what` completes a sentence about it. */
  onViolation(what: string): void
}

/** Cost of each operation and each byte, as time that is deducted from a process's share. */
const OPERATION_MS = 0.02
const WRITTEN_BYTES_PER_MS = 4000
const READ_BYTES_PER_MS = 32_000
/** Time that a process may use in advance. */
const BURST_MS = 100

/** Store operations of the tenants of one process, limited in rate. */
export class StateRequests {
  readonly #options: Options
  readonly #places = new Map<string, StatePlace>()
  readonly #running = new Set<string>()
  /** Time (`performance.now()`) at which the cost of all operations so far is paid. */
  #paidAt = 0

  constructor(options: Options) {
    this.#options = options
  }

  serve({ id, state }: Tenant): void {
    if (state) this.#places.set(id, state)
  }

  forget(tenantId: string): void {
    this.#places.delete(tenantId)
  }

  async run(tenantId: string, operations: readonly StateOperation[]): Promise<void> {
    const { send, onViolation } = this.#options
    if (this.#running.has(tenantId))
      return onViolation('sent the daemon store operations before it received the previous results')
    this.#running.add(tenantId)
    const results = await this.#results(tenantId, operations)
    await this.#delay(operations, results)
    send({ type: 'stored', tenantId, results }, () => this.#running.delete(tenantId))
  }

  async #results(tenantId: string, operations: readonly StateOperation[]): Promise<StateResult[]> {
    const place = this.#places.get(tenantId)
    const { stores } = this.#options
    if (place && stores)
      try {
        return await stores.run(place, operations)
      } catch {
        return operations.map(() => unavailableResult(STORE_FAILURE)) // omits the reason, which may contain paths
      }
    return operations.map(() => unavailableResult('This server has no store.'))
  }

  async #delay(operations: readonly StateOperation[], results: readonly StateResult[]): Promise<void> {
    const now = performance.now()
    const costMs =
      operations.length * OPERATION_MS +
      textLength(operations) / WRITTEN_BYTES_PER_MS +
      textLength(results) / READ_BYTES_PER_MS
    this.#paidAt = Math.max(now, this.#paidAt) + costMs
    const delayMs = this.#paidAt - now - BURST_MS
    if (delayMs >= 1) await new Promise(resolve => setTimeout(resolve, delayMs))
  }
}

const STORE_FAILURE = 'The store cannot be read or written. See the daemon log.'

function unavailableResult(message: string): StateResult {
  return { error: { code: 'UNAVAILABLE', message } }
}

/** Total length of all strings in plain data. */
function textLength(data: unknown): number {
  if (typeof data === 'string') return data.length
  if (typeof data !== 'object' || data === null) return 0
  return Object.values(data).reduce<number>((sum, value) => sum + textLength(value), 0)
}
