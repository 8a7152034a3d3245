import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { HostingError } from '../../shared/errors.ts'
import type { StatePlace } from '../../shared/instances/instance-protocol.ts'
import type { StateOperation } from '../../shared/instances/state-operations.ts'
import type { StateQuery, StateRow } from '../store/state/state-reads.ts'
import { copyState } from './copy-state.ts'
import type { ResultOf, StateCall, StateRequest, StateResponse } from './state-calls.ts'

export interface StateStoresOptions {
  /** Path of `state.js`. */
  program: string
  /** Folder of all stores: `<server>/<environment>/store.db`. */
  directory: string
  /** Folder for unfinished copies, on the same disk as the stores. */
  unfinished: string
  now(): number
  /** Receives failures of operations that instances request. */
  onError(error: unknown): void
}

interface PendingCall {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** The stores of all servers. A thread, which starts on first use, reads and writes them. */
export class StateStores {
  readonly #options: StateStoresOptions
  readonly #waiting = new Map<number, PendingCall>()
  #worker: Worker | undefined
  #lastId = 0

  constructor(options: StateStoresOptions) {
    this.#options = options
  }

  /** May return fewer results than operations. Operations without a result were not run. Throws UNAVAILABLE. */
  async run(place: StatePlace, operations: readonly StateOperation[]): Promise<ResultOf['run']> {
    try {
      return await this.#call(place, { method: 'run', operations })
    } catch (error) {
      this.#options.onError(error)
      throw error
    }
  }

  /** Undefined when nothing was ever stored. */
  async usage(place: StatePlace): Promise<ResultOf['usage'] | undefined> {
    return this.has(place) ? this.#call(place, { method: 'usage' }) : undefined
  }

  async rows(place: StatePlace, query: StateQuery): Promise<ResultOf['rows']> {
    return this.has(place) ? this.#call(place, { method: 'rows', query }) : []
  }

  /** Sets and removes rows, all or none. */
  change(
    place: StatePlace,
    rows: readonly StateRow[],
    removed: readonly Pick<StateRow, 'scope' | 'key'>[],
  ): Promise<ResultOf['change']> {
    return this.#call(place, { method: 'change', rows, removed })
  }

  has(place: StatePlace): boolean {
    return existsSync(this.#path(place))
  }

  /** Copies a place's shared entries and files to a place without state. False when nothing was copied. */
  copy(from: StatePlace, to: StatePlace): Promise<boolean> {
    const { program, unfinished, now } = this.#options
    const folders = { from: this.#folder(from), to: this.#folder(to) }
    return copyState({ ...folders, unfinished, program, nowMs: now() })
  }

  /** True when there is a store, or a folder for files of programs. */
  holds(place: StatePlace): boolean {
    return existsSync(this.#folder(place))
  }

  /** Removes a store and the files of the server's programs. The server's instances must have stopped. */
  async remove(place: StatePlace): Promise<void> {
    if (this.has(place)) await this.#call(place, { method: 'close' })
    const folder = this.#folder(place)
    await rm(folder, { recursive: true, force: true })
    if ((await readdir(dirname(folder)).catch(() => ['unknown'])).length === 0)
      await rm(dirname(folder), { recursive: true, force: true })
  }

  /** DATA_DIR of the server's programs. */
  filesOf(place: StatePlace): string {
    return join(this.#folder(place), 'files')
  }

  #folder({ server, slot }: StatePlace): string {
    return join(this.#options.directory, server, slot)
  }

  async close(): Promise<void> {
    const worker = this.#worker
    if (!worker) return
    const ended = new Promise(resolve => worker.once('exit', resolve))
    worker.postMessage('close')
    await ended
  }

  #path(place: StatePlace): string {
    return join(this.#folder(place), 'store.db')
  }

  #call<Call extends StateCall>(place: StatePlace, call: Call): Promise<ResultOf[Call['method']]> {
    const id = ++this.#lastId
    const request: StateRequest = { id, path: this.#path(place), nowMs: this.#options.now(), call }
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as PendingCall['resolve'], reject })
      this.#worker ??= this.#start()
      this.#worker.postMessage(request)
    })
  }

  #start(): Worker {
    const worker = new Worker(this.#options.program)
    worker.unref()
    worker.on('message', (response: StateResponse) => this.#settle(response))
    worker.on('error', error => this.#fail(error as Error))
    worker.on('exit', () => this.#fail(new Error('its thread exited')))
    return worker
  }

  #settle(response: StateResponse): void {
    const waiting = this.#waiting.get(response.id)
    this.#waiting.delete(response.id)
    if (!('error' in response)) return waiting?.resolve(response.result)
    const { message, details } = response.error
    waiting?.reject(new HostingError('UNAVAILABLE', message, details === undefined ? {} : { details }))
  }

  /** Rejects all pending calls. The next use starts another thread. */
  #fail(cause: Error): void {
    this.#worker = undefined
    const error = new HostingError('UNAVAILABLE', `The store failed: ${cause.message}. Try again.`, { cause })
    const all = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of all) reject(error)
  }
}
