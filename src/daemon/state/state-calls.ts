import type { StateOperation } from '../../shared/instances/state-operations.ts'
import type { StateDatabase } from '../store/state/state-database.ts'
import type { StateQuery, StateRow } from '../store/state/state-reads.ts'

/** Request to the worker about one store. */
export type StateCall =
  | { method: 'run'; operations: readonly StateOperation[] }
  | { method: 'usage' }
  | { method: 'rows'; query: StateQuery }
  | { method: 'change'; rows: readonly StateRow[]; removed: readonly Pick<StateRow, 'scope' | 'key'>[] }
  /** Copies the entries that users share to a new file. */
  | { method: 'copy'; to: string }
  /** Closes the file, before it is moved or removed. */
  | { method: 'close' }

export interface ResultOf {
  run: ReturnType<StateDatabase['run']>[number]
  usage: ReturnType<StateDatabase['usage']>
  rows: ReturnType<StateDatabase['rows']>
  change: ReturnType<StateDatabase['change']>
  copy: undefined
  close: undefined
}

export interface StateRequest {
  id: number
  /** Path of the store's file. */
  path: string
  nowMs: number
  call: StateCall
}

export type StateResponse =
  | { id: number; result: unknown }
  | { id: number; error: { message: string; details?: string } }
