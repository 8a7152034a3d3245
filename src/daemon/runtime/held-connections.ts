import type { Socket } from 'node:net'
import { refuseConnection } from './unavailable.ts'

export interface Held {
  socket: Socket
  head: Buffer | undefined
}

export interface HoldLimits {
  /** Connections at most; more are refused at once. */
  connections: number
  /** Longest wait of one connection. */
  waitMs: number
}

/** Connections that wait for an instance, first come first served. Unread, so the client's request stays in the kernel. */
export class HeldConnections {
  readonly #limits: HoldLimits
  #queue: (Held & { until: number })[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(limits: HoldLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#queue.length
  }

  add(held: Held): void {
    if (this.#queue.length >= this.#limits.connections) {
      const message = `${this.#queue.length} connections already wait for this server to start. Try again in a moment.`
      refuseConnection(held.socket, { message, retryAfterSeconds: 1 }, held.head)
      return
    }
    this.#queue.push({ ...held, until: Date.now() + this.#limits.waitMs })
    this.#timer ??= setTimeout(() => this.#refuseLate(), this.#limits.waitMs)
  }

  takeAll(): Held[] {
    const all = this.#queue
    this.#queue = []
    clearTimeout(this.#timer)
    this.#timer = undefined
    return all
  }

  refuseAll(message: string, retryAfterSeconds: number): void {
    for (const { socket, head } of this.takeAll())
      refuseConnection(socket, { message, retryAfterSeconds }, head)
  }

  #refuseLate(): void {
    this.#timer = undefined
    const now = Date.now()
    const late = this.#queue.filter(held => held.until <= now)
    this.#queue = this.#queue.slice(late.length)
    const message = `The server did not start within ${this.#limits.waitMs / 1000} s. Its log tells why.`
    for (const { socket, head } of late) refuseConnection(socket, { message, retryAfterSeconds: 5 }, head)
    const next = this.#queue[0]
    if (next) this.#timer = setTimeout(() => this.#refuseLate(), next.until - now)
  }
}
