import type { FromInstance, Several } from '../shared/instance-protocol.ts'

type Send = (message: FromInstance | Several, handle?: unknown) => void

/** What is known when an answer arrives somewhere else, such as that a server woke, must be told before it. */
const CAN_WAIT: readonly FromInstance['type'][] = ['serving', 'took']

/**
 * Acknowledges to the daemon what comes up within one turn of the event loop in one message: each costs both sides a
 * wake-up. Nothing is read of a connection in the turn that brought it, so the daemon knows it to be taken before. Not for
 * processes with user code, which may keep a turn from ending.
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
    if (!CAN_WAIT.includes(message.type)) this.flush()
    else if (count === 1) setImmediate(() => this.flush())
  }

  /** Also before the process ends. */
  flush(): void {
    const messages = this.#waiting
    this.#waiting = []
    const [first] = messages
    if (first) this.#send(messages.length === 1 ? first : { type: 'several', messages })
  }
}
