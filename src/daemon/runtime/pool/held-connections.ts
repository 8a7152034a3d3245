import type { Socket } from 'node:net'
import type { NamedRequest } from '../process/named-request.ts'
import { refuseConnection, type Unavailability } from './unavailable.ts'

export interface HeldConnection {
  socket: Socket
  named: NamedRequest | undefined
}

export interface HoldLimits {
  /** Maximum number. Additional connections are refused immediately. */
  connections: number
  /** Maximum wait of one connection. */
  waitMs: number
}

/** Connections that wait for an instance, oldest first. Unread except for the bytes in `named`. */
export class HeldConnections {
  readonly #limits: HoldLimits
  #queue: (HeldConnection & { until: number })[] = []
  #timer: NodeJS.Timeout | undefined
  #emptied: PromiseWithResolvers<void> | undefined

  constructor(limits: HoldLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#queue.length
  }

  add({ socket, named }: HeldConnection): void {
    const { connections, waitMs } = this.#limits
    if (this.#queue.length >= connections) {
      const message = `${connections} connections are already waiting for this server to start. Try again in a moment.`
      return refuseConnection(socket, { message, retryAfterSeconds: 1 }, named)
    }
    this.#queue.push({ socket, named, until: Date.now() + waitMs })
    this.#timer ??= setTimeout(() => this.#refuseLate(), waitMs)
  }

  /** Resolves when no connection waits. Each one waits for at most `waitMs`. */
  emptied(): Promise<void> {
    if (this.#queue.length === 0) return Promise.resolve()
    this.#emptied ??= Promise.withResolvers()
    return this.#emptied.promise
  }

  takeAll(): HeldConnection[] {
    const all = this.#queue
    this.#queue = []
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#emptied?.resolve()
    this.#emptied = undefined
    return all
  }

  refuseAll(why: Unavailability): void {
    for (const { socket, named } of this.takeAll()) refuseConnection(socket, why, named)
  }

  #refuseLate(): void {
    const now = Date.now()
    const message = `The server did not start within ${this.#limits.waitMs / 1000} s. See its log.`
    const [next] = this.#queue.filter(({ until }) => until > now)
    const late = next ? this.#queue.splice(0, this.#queue.indexOf(next)) : this.takeAll()
    for (const { socket, named } of late) refuseConnection(socket, { message, retryAfterSeconds: 5 }, named)
    if (next) this.#timer = setTimeout(() => this.#refuseLate(), next.until - now)
  }
}
