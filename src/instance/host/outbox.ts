import type { FromInstance, MessageBatch } from '../../shared/instances/instance-protocol.ts'

type Send = (message: FromInstance | MessageBatch, handle?: unknown) => void

/** Acknowledgements that may wait. All other messages must arrive before their effects are visible elsewhere. */
const DEFERRABLE_TYPES: readonly FromInstance['type'][] = ['serving', 'took']

/**
 * Sends the acknowledgements of one event loop turn as a single message, because each message costs both sides a wake-up. Nothing
 * is read from a connection in the turn that delivers it, so the daemon learns of the acceptance before the client gets an
 * answer. Not for processes with user code, which may block the event loop.
 */
export class Outbox {
  readonly #send: Send
  #waiting: FromInstance[] = []

  constructor(send: Send) {
    this.#send = send
  }

  send(message: FromInstance, handle?: unknown): void {
    if (handle !== undefined) {
      this.flush()
      return this.#send(message, handle)
    }
    const count = this.#waiting.push(message)
    if (!DEFERRABLE_TYPES.includes(message.type)) this.flush()
    else if (count === 1) setImmediate(() => this.flush())
  }

  /** Also called before the process exits. */
  flush(): void {
    const messages = this.#waiting
    this.#waiting = []
    const [first] = messages
    if (first) this.#send(messages.length === 1 ? first : { type: 'several', messages })
  }
}
