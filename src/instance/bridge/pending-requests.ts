import type { JsonObject } from '../protocol/json-rpc.ts'
import type { ClientContext } from '../server/client-context.ts'
import type { ResultText } from '../server/results.ts'

/** A request that the program has not answered yet. */
export interface PendingRequest {
  /** Zero until the request is sent. */
  id: number
  method: string
  /** Client's call that the request belongs to. Undefined for our own requests. */
  context: ClientContext | undefined
  /** Unix milliseconds. */
  deadline: number
  resolve(result: JsonObject): void
  /** Called instead of `resolve` when the result need not be parsed. */
  resolveText?(result: ResultText): void
  reject(error: unknown): void
}

const FIRST_SLOTS = 16

/**
 * Requests by id. Assigns the ids. Not a `Map`: V8 replaces its table after a number of deletions, and an old table that has been
 * promoted keeps the next one alive, with the requests in it. As a result, a third of all requests outlived their answers, and
 * collecting them took a fifth of the bridge's processor time (V8, `OrderedHashTable::SetNextTable`).
 */
export class PendingRequests {
  // The low bits of a request's id are its slot. Ids whose slot is taken are skipped.
  #slots: (PendingRequest | undefined)[] = emptySlots(FIRST_SLOTS)
  #size = 0
  #lastId = 0

  get size(): number {
    return this.#size
  }

  /** True if this id may have been assigned earlier. */
  hasAssigned(id: unknown): boolean {
    return typeof id === 'number' && id <= this.#lastId
  }

  /** Assigns the request an id larger than any before. */
  add(request: PendingRequest): void {
    if (this.#size * 2 >= this.#slots.length) this.#grow()
    const mask = this.#slots.length - 1
    do this.#lastId++
    while (this.#slots[this.#lastId & mask])
    request.id = this.#lastId
    this.#slots[request.id & mask] = request
    this.#size++
  }

  /** `id` is any value that a program sent. */
  get(id: unknown): PendingRequest | undefined {
    if (typeof id !== 'number') return undefined
    const request = this.#slots[id & (this.#slots.length - 1)]
    return request?.id === id ? request : undefined
  }

  /** Returns and removes a request. */
  take(id: unknown): PendingRequest | undefined {
    const request = this.get(id)
    if (!request) return undefined
    this.#slots[request.id & (this.#slots.length - 1)] = undefined
    this.#size--
    return request
  }

  /** Oldest first. */
  all(): PendingRequest[] {
    return this.#slots.filter(slot => slot !== undefined).sort((one, other) => one.id - other.id)
  }

  /** Returns and removes all requests, oldest first. */
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
