import {
  MAX_BATCH,
  MAX_WRITE_BYTES,
  type StateBackend,
  type StateOperation,
  type StateResult,
} from '../../shared/instances/state-operations.ts'

/**
 * Access to a tenant's store in the daemon. One message is in flight at a time. Operations that arrive in the meantime are
 * sent in the next message, so that the daemon writes them to disk together.
 */
export class StateChannel implements StateBackend {
  readonly #send: (operations: StateOperation[]) => void
  readonly #waiting: { operation: StateOperation; resolve(result: StateResult): void }[] = []
  #isSending = false

  constructor(send: (operations: StateOperation[]) => void) {
    this.#send = send
  }

  run(operation: StateOperation): Promise<StateResult> {
    return new Promise(resolve => {
      this.#waiting.push({ operation, resolve })
      if (this.#isSending) return
      this.#isSending = true
      queueMicrotask(() => this.#sendNext())
    })
  }

  receive(results: readonly StateResult[]): void {
    for (const result of results) this.#waiting.shift()?.resolve(result)
    this.#isSending = this.#waiting.length > 0
    if (this.#isSending) this.#sendNext()
  }

  /** Sends the next operations. The daemon limits the bytes and operations of a message. */
  #sendNext(): void {
    let count = 0
    for (let size = 0; count < Math.min(MAX_BATCH, this.#waiting.length); count++) {
      size += sizeOf(this.#waiting[count]!.operation)
      if (size > MAX_WRITE_BYTES && count > 0) break
    }
    this.#send(this.#waiting.slice(0, count).map(({ operation }) => operation))
  }
}

/** Bytes for the names and punctuation of an operation, a check or a write in its message. */
const OVERHEAD = 16

function sizeOf(operation: StateOperation): number {
  const scope = OVERHEAD + operation.scope.length
  if (operation.op === 'get') return scope + operation.key.length
  if (operation.op === 'list') return scope + operation.prefix.length + (operation.after?.length ?? 0)
  const { checks = [], writes } = operation
  const checked = checks.reduce(
    (sum, check) => sum + OVERHEAD + ('key' in check ? check.key : check.prefix).length,
    0,
  )
  const written = writes.reduce(
    (sum, write) => sum + OVERHEAD + write.key.length + ('value' in write ? write.value.length : 0),
    0,
  )
  return scope + checked + written
}
