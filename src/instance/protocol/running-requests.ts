import type { RequestId } from './json-rpc.ts'

export interface RunningRequest {
  readonly id: RequestId
  cancel(): void
}

/** What a session waits for, a few at a time mostly: a `Map` would make a new table every few requests. */
export class RunningRequests {
  readonly #all: RunningRequest[] = []

  get size(): number {
    return this.#all.length
  }

  add(request: RunningRequest): void {
    this.#all.push(request)
  }

  /** Does nothing when it is not among them. */
  delete(request: RunningRequest): void {
    const at = this.#all.lastIndexOf(request)
    if (at === this.#all.length - 1) this.#all.pop()
    else if (at >= 0) this.#all.splice(at, 1)
  }

  /** The newest of that id, should a client use one twice. */
  cancel(id: RequestId): void {
    this.#all.findLast(request => request.id === id)?.cancel()
  }

  cancelAll(): void {
    for (const request of [...this.#all]) request.cancel()
  }
}
