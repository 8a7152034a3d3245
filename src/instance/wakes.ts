import type { Tenant } from '../shared/instance-protocol.ts'
import type { WakeUp } from './asleep.ts'
import { relayToSuccessor } from './http/relay.ts'

/** The tenants of a process that the daemon is to wake when a request needs more of them than their artifact. */
export class Wakes {
  readonly #tell: (tenantId: string) => void
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>()

  /** `tell` the daemon. */
  constructor(tell: (tenantId: string) => void) {
    this.#tell = tell
  }

  /** What takes the requests of a tenant that sleeps; undefined for one that is awake. `onHere`: it wakes in this process. */
  of({ id, asleep }: Tenant, onHere: () => void): WakeUp | undefined {
    if (asleep === undefined) return undefined
    return asleep === 'here' ? this.#here(id, onHere) : this.#elsewhere(id)
  }

  /** The daemon brings connections to the server from now on. */
  hear(tenantId: string): void {
    this.#waiting.get(tenantId)?.resolve()
    this.forget(tenantId)
  }

  forget(tenantId: string): void {
    this.#waiting.delete(tenantId)
  }

  /** The server is all here: the daemon is told, and the request answered. */
  #here(tenantId: string, onHere: () => void): WakeUp {
    let isAwake = false
    return (_exchange, _text, serve) => {
      if (!isAwake) {
        onHere()
        this.#tell(tenantId)
      }
      isAwake = true
      serve()
    }
  }

  #elsewhere(tenantId: string): WakeUp {
    return (exchange, text) => void this.#wake(tenantId).then(() => relayToSuccessor(exchange, text))
  }

  #wake(tenantId: string): Promise<void> {
    const known = this.#waiting.get(tenantId)
    if (known) return known.promise
    const waking = Promise.withResolvers<void>()
    this.#waiting.set(tenantId, waking)
    this.#tell(tenantId)
    return waking.promise
  }
}
