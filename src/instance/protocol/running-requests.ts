import type { RequestId } from './json-rpc.ts'

export interface RunningRequest {
  readonly id: RequestId
  cancel(): void
  /** Closes the connection of a forwarded request when its session is ended through the API. */
  disconnect?(): void
  /** True for a forwarded GET stream. */
  readonly isStream?: boolean
}

/** Running requests of a session. Usually a few, for which a `Map` would create a new table every few requests. */
export class RunningRequests {
  readonly #all: RunningRequest[] = []

  get size(): number {
    return this.#all.length
  }

  get streams(): number {
    return this.#all.filter(({ isStream }) => isStream).length
  }

  add(request: RunningRequest): void {
    this.#all.push(request)
  }

  /** Does nothing when the request is not registered. */
  delete(request: RunningRequest): void {
    const at = this.#all.lastIndexOf(request)
    if (at === this.#all.length - 1) this.#all.pop()
    else if (at >= 0) this.#all.splice(at, 1)
  }

  /** Cancels the newest request with this id, in case the client uses an id twice. */
  cancel(id: RequestId): void {
    this.#all.findLast(request => request.id === id)?.cancel()
  }

  cancelAll(): void {
    for (const request of [...this.#all]) request.cancel()
  }

  disconnectAll(): void {
    for (const request of [...this.#all]) request.disconnect?.()
  }
}
