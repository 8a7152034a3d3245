/** The native handle of a listening socket, as `child.send` takes it and a message brings it. */
export type SocketHandle = { close(): void }

/**
 * A listening socket that its owner may lend to the only instance behind it. Both sides hold the same socket of the
 * kernel, with one queue of connections: whoever accepts, and whatever process ends, no connection is refused or lost.
 */
export interface LendableSocket {
  /** Its handle, and from now on `loan` is ended when the owner wants all connections; undefined when it is not to be had. */
  offer(loan: { end(): void }): SocketHandle | undefined
  /** The borrower accepts now, and the owner no longer does. `kept`: the same socket, on which nobody here accepts. */
  lent(kept: SocketHandle): void
  /** The loan is over: the owner accepts again. */
  takeBack(): void
}

export interface LoanOptions {
  socket: LendableSocket
  /** Tells the instance to accept no more. */
  revoke(): void
}

/** A borrower that accepted fewer in so long, or did not say, has to give the socket back. */
const REVIEW_EVERY_MS = 1000
const WORTHWHILE = 50

/**
 * A listening socket in the hands of an instance, for as long as connections come in a rush. Handing over each of them
 * takes two processes and some messages, so that there are some thousands a second; an instance that accepts them itself
 * knows no such limit.
 */
export class Loan {
  readonly #options: LoanOptions
  #state: 'offered' | 'lent' | 'ended' = 'offered'
  #accepted = 0
  #review: NodeJS.Timeout | undefined

  constructor(options: LoanOptions) {
    this.#options = options
  }

  arrived(kept: SocketHandle | undefined): void {
    if (!kept) return this.end()
    if (this.#state !== 'offered') return kept.close()
    this.#state = 'lent'
    this.#review = setInterval(() => this.#judge(), REVIEW_EVERY_MS).unref()
    this.#options.socket.lent(kept)
  }

  /** The borrower is alive, and took so many connections since it last said so. */
  renew(accepted: number): void {
    this.#accepted += accepted
  }

  /** The owner accepts at once, and only then the borrower stops: there is always somebody who does. */
  end(): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    clearInterval(this.#review)
    this.#options.socket.takeBack()
    this.#options.revoke()
  }

  #judge(): void {
    if (this.#accepted < WORTHWHILE) this.end()
    this.#accepted = 0
  }
}
