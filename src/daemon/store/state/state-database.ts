import {
  type Commit,
  MAX_STORE_BYTES,
  type StateError,
  type StateOperation,
  type StateResult,
} from '../../../shared/instances/state-operations.ts'
import { StateConnection } from './state-connection.ts'
import { type StateQuery, StateReads, type StateRow } from './state-reads.ts'
import { type StateUsage, StateWrites } from './state-writes.ts'

/** Operations of one instance, with their time in Unix milliseconds. */
export interface StateBatch {
  operations: readonly StateOperation[]
  nowMs: number
}

/** A batch stops after the operation whose result brings the total above this size. */
const MAX_RESULT_BYTES = 1024 * 1024

/** The entries of one store. Times are in Unix milliseconds. */
export class StateDatabase {
  readonly #connection: StateConnection
  readonly #reads: StateReads
  readonly #writes: StateWrites

  /** Throws UNAVAILABLE for a damaged or unwritable file. */
  constructor(path: string, maxBytes = MAX_STORE_BYTES) {
    this.#connection = new StateConnection(path)
    this.#reads = new StateReads(this.#connection)
    this.#writes = new StateWrites(this.#connection, maxBytes)
  }

  /** Runs all batches in one transaction. Returns fewer results than operations when the results get large. */
  run(batches: readonly StateBatch[]): StateResult[][] {
    const hasWrites = batches.some(({ operations }) => operations.some(({ op }) => op === 'commit'))
    const runAll = () => batches.map(batch => this.#runBatch(batch))
    return this.#connection.translate(() =>
      hasWrites ? this.#connection.writeTransaction(runAll) : this.#connection.readTransaction(runAll),
    )
  }

  usage(nowMs: number): StateUsage {
    return this.#connection.translate(() => {
      this.#connection.writeTransaction(() => this.#writes.sweep(nowMs, Number.MAX_SAFE_INTEGER))
      return this.#writes.usage()
    })
  }

  rows(query: StateQuery, nowMs: number): StateRow[] {
    return this.#connection.translate(() => this.#reads.rows(query, nowMs))
  }

  /** Sets and removes entries, all or none. The result counts the entries that were actually removed. */
  change(
    rows: readonly StateRow[],
    removed: readonly Pick<StateRow, 'scope' | 'key'>[],
    nowMs: number,
  ): { removed: number } | { error: StateError } {
    let count = 0
    const work = (version: number) => {
      for (const row of rows) this.#writes.put(row, version)
      count = removed.filter(({ scope, key }) => this.#writes.remove(scope, key)).length
    }
    const refused = this.#connection.translate(() => this.#writes.commit(work, nowMs))
    return (refused as { error: StateError } | undefined) ?? { removed: count }
  }

  /** Copies the entries that no user owns to a new file. Reads from a snapshot and does not delay writers. */
  copyShared(path: string, nowMs: number): void {
    new StateConnection(path).close()
    this.#connection.translate(() => this.#reads.copyShared(path, nowMs))
  }

  close(): void {
    this.#connection.close()
  }

  #runBatch({ operations, nowMs }: StateBatch): StateResult[] {
    const results: StateResult[] = []
    let size = 0
    for (const operation of operations) {
      const result = this.#runOne(operation, nowMs)
      results.push(result)
      size += sizeOf(result)
      if (size > MAX_RESULT_BYTES) break
    }
    return results
  }

  #runOne(operation: StateOperation, now: number): StateResult {
    if (operation.op === 'get') return this.#reads.get(operation, now)
    if (operation.op === 'list') return this.#reads.list(operation, now)
    return this.#commit(operation, now)
  }

  #commit({ scope, checks = [], writes }: Commit, now: number): StateResult {
    if (!checks.every(check => this.#reads.holds(scope, check, now))) return { isConflict: true }
    if (writes.length === 0) return { results: [] }
    let results: (number | boolean | null)[] = []
    const work = (version: number) => {
      results = writes.map(write => this.#writes.write(scope, write, { version, now }))
    }
    return this.#writes.commit(work, now) ?? { results }
  }
}

/** Size of a result's keys and values in UTF-8 bytes. */
function sizeOf(result: StateResult): number {
  if ('value' in result) return Buffer.byteLength(result.value ?? '')
  if (!('entries' in result)) return 0
  return result.entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  )
}
