import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import type { WakeUp } from '../http/http-exchange.ts'
import { relayToSuccessor } from '../http/relay.ts'

/** Asks the daemon to wake sleeping tenants when a request needs more than the artifact. */
export class WakeUps {
  readonly #requestWakeUp: (tenantId: string) => void
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>()

  constructor(requestWakeUp: (tenantId: string) => void) {
    this.#requestWakeUp = requestWakeUp
  }

  /**
   * Handler for requests that wake the tenant. Undefined when the tenant is awake. `onHere` is called when the tenant wakes in
   * this process.
   */
  handlerFor({ id, asleep }: Tenant, onHere: () => void): WakeUp | undefined {
    if (asleep === undefined) return undefined
    return asleep === 'here' ? this.#wakeHere(id, onHere) : this.#wakeElsewhere(id)
  }

  /** Confirms that the daemon now routes connections to the server. */
  confirm(tenantId: string): void {
    this.#waiting.get(tenantId)?.resolve()
    this.forget(tenantId)
  }

  forget(tenantId: string): void {
    this.#waiting.delete(tenantId)
  }

  /** Answers in this process and reports the wake-up once. */
  #wakeHere(tenantId: string, onHere: () => void): WakeUp {
    let isAwake = false
    return (_exchange, _text, serve) => {
      if (!isAwake) {
        onHere()
        this.#requestWakeUp(tenantId)
      }
      isAwake = true
      serve()
    }
  }

  #wakeElsewhere(tenantId: string): WakeUp {
    return (exchange, text) => void this.#wake(tenantId).then(() => relayToSuccessor(exchange, text))
  }

  #wake(tenantId: string): Promise<void> {
    const known = this.#waiting.get(tenantId)
    if (known) return known.promise
    const waking = Promise.withResolvers<void>()
    this.#waiting.set(tenantId, waking)
    this.#requestWakeUp(tenantId)
    return waking.promise
  }
}
