import type { ClientContext, ResultText } from '../prepared-server.ts'
import type { Result } from './rpc-channel.ts'

/** A request that the program has not answered yet. */
export interface PendingRequest {
  /** Zero until it is sent. */
  id: number
  method: string
  /** The call of a client that it was made for; undefined for requests of our own. */
  context: ClientContext | undefined
  /** Unix milliseconds. */
  deadline: number
  resolve(result: Result): void
  /** In place of `resolve` where the result need not be read. */
  resolveText?(result: ResultText): void
  reject(error: unknown): void
}

const FIRST_SLOTS = 16

/**
 * Requests by their ids, which it gives. No `Map`: V8 makes a new table after so many deletions, and the one before, once it
 * has grown old, keeps the next alive and with it the requests that were in it. A third of all requests outlived so their
 * answers, and collecting them took a fifth of the bridge's processor time. (V8, `OrderedHashTable::SetNextTable`.)
 */
export class PendingRequests {
  // A request is in the slot of its id's last bits; ids whose slot is taken are passed over.
  #slots: (PendingRequest | undefined)[] = emptySlots(FIRST_SLOTS)
  #size = 0
  #lastId = 0

  get size(): number {
    return this.#size
  }

  /** Whether some request has, or had, this id. */
  hasGiven(id: unknown): boolean {
    return typeof id === 'number' && id <= this.#lastId
  }

  /** Sets the request's id, larger than any before. */
  add(request: PendingRequest): void {
    if (this.#size * 2 >= this.#slots.length) this.#grow()
    const mask = this.#slots.length - 1
    do this.#lastId++
    while (this.#slots[this.#lastId & mask])
    request.id = this.#lastId
    this.#slots[request.id & mask] = request
    this.#size++
  }

  /** `id`: anything that a program may take for one. */
  get(id: unknown): PendingRequest | undefined {
    if (typeof id !== 'number') return undefined
    const request = this.#slots[id & (this.#slots.length - 1)]
    return request?.id === id ? request : undefined
  }

  /** Removes it. */
  take(id: unknown): PendingRequest | undefined {
    const request = this.get(id)
    if (!request) return undefined
    this.#slots[request.id & (this.#slots.length - 1)] = undefined
    this.#size--
    return request
  }

  /** The oldest first. */
  all(): PendingRequest[] {
    return this.#slots.filter(slot => slot !== undefined).sort((one, other) => one.id - other.id)
  }

  /** Removes all and gives them, the oldest first. */
  takeAll(): PendingRequest[] {
    const all = this.all()
    this.#slots = emptySlots(FIRST_SLOTS)
    this.#size = 0
    return all
  }

  #grow(): void {
    const all = this.all()
    this.#slots = emptySlots(this.#slots.length * 2)
    for (const request of all) this.#slots[request.id & (this.#slots.length - 1)] = request
  }
}

function emptySlots(count: number): undefined[] {
  return new Array(count).fill(undefined)
}
