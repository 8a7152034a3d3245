import { connectionLimit } from './open-files.ts'

/** Number of connections to one listener that have not sent the head of a request, with a limit. */
export class WaitingConnections {
  readonly #limit: number
  #count = 0

  /** The default limit depends on the limit on open files. */
  constructor(limit: number = connectionLimit()) {
    this.#limit = limit
  }

  /** Counts a connection until the returned function is called. Throws when too many connections are waiting. */
  add(): () => void {
    if (this.#count >= this.#limit) throw new Error(`${this.#limit} connections have not sent a request yet`)
    this.#count++
    let isCounted = true
    return () => {
      if (isCounted) this.#count--
      isCounted = false
    }
  }
}
