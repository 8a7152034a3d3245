import { HostingError } from '../../shared/errors.ts'
import { StateDatabase } from '../store/state/state-database.ts'
import type { StateCall, StateRequest, StateResponse } from './state-calls.ts'

/** Maximum number of open stores. Each takes file descriptors and a page cache. */
const MAX_OPEN = 32

/** The stores that a worker has open, least recently used first. */
export class StateFiles {
  readonly #open = new Map<string, StateDatabase>()

  /** Handles requests in order. Consecutive operations on one file are written to disk together. */
  handle(requests: readonly StateRequest[]): StateResponse[] {
    const responses: StateResponse[] = []
    for (let at = 0; at < requests.length; ) {
      const batch = requests.slice(at, at + batchLength(requests, at))
      responses.push(...this.#handleBatch(batch))
      at += batch.length
    }
    return responses
  }

  close(): void {
    for (const path of [...this.#open.keys()]) this.#close(path)
  }

  #handleBatch(requests: readonly StateRequest[]): StateResponse[] {
    const [first] = requests
    try {
      if (first!.call.method !== 'run')
        return [{ id: first!.id, result: this.#handleOne(first!.path, first!.call, first!.nowMs) }]
      const batches = requests.map(({ call, nowMs }) => ({ operations: (call as RunCall).operations, nowMs }))
      const results = this.#get(first!.path).run(batches)
      return requests.map(({ id }, index) => ({ id, result: results[index] }))
    } catch (error) {
      const { message } = error as Error
      const details = error instanceof HostingError ? error.details : undefined
      return requests.map(({ id }) => ({
        id,
        error: { message, ...(details !== undefined && { details }) },
      }))
    }
  }

  #handleOne(path: string, call: Exclude<StateCall, RunCall>, nowMs: number): unknown {
    if (call.method === 'close') return this.#close(path)
    const database = this.#get(path)
    switch (call.method) {
      case 'usage':
        return database.usage(nowMs)
      case 'rows':
        return database.rows(call.query, nowMs)
      case 'change':
        return database.change(call.rows, call.removed, nowMs)
      case 'copy':
        return database.copyShared(call.to, nowMs)
    }
  }

  #get(path: string): StateDatabase {
    const database = this.#open.get(path) ?? new StateDatabase(path)
    this.#open.delete(path)
    this.#open.set(path, database)
    if (this.#open.size > MAX_OPEN) this.#close(this.#open.keys().next().value!)
    return database
  }

  #close(path: string): undefined {
    this.#open.get(path)?.close()
    this.#open.delete(path)
  }
}

type RunCall = Extract<StateCall, { method: 'run' }>

/** Number of requests, from `from` on, that form one batch: consecutive operations on one file, at least one request. */
function batchLength(requests: readonly StateRequest[], from: number): number {
  const first = requests[from]!
  const other = requests.findIndex(
    ({ path, call }, at) => at > from && (path !== first.path || call.method !== 'run'),
  )
  if (first.call.method !== 'run') return 1
  return (other === -1 ? requests.length : other) - from
}
