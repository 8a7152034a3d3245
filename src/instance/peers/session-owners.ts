import type { SessionClaim } from '../../shared/instance-protocol.ts'

/** Others' sessions that are remembered; one that was forgotten is asked for again. */
const MAX_MOVED = 10_000
/** A daemon that does not answer must not keep a client. */
const ANSWER_MS = 2000

/**
 * Which instance holds a session whose first one is gone. All instances of a deployment get requests of it, and the
 * daemon says to whom of them it belongs from then on, so that a question and its answer meet.
 */
export class SessionOwners {
  /** Where this instance takes requests of other ones. */
  readonly port: number
  readonly #ask: (claim: SessionClaim) => void
  readonly #moved = new Map<string, number>()
  readonly #waiting = new Map<string, PromiseWithResolvers<number>>()

  constructor(port: number, ask: (claim: SessionClaim) => void) {
    this.port = port
    this.#ask = ask
  }

  /** Port of the instance that took it over; undefined while none is known. */
  portOf(session: string): number | undefined {
    return this.#moved.get(session)
  }

  /** Port of the instance that has it from now on, this one's own if nobody else's. `gone`: nobody answers there. */
  claim(session: string, gone: number): Promise<number> {
    const asked = this.#waiting.get(session)
    if (asked) return asked.promise
    const waiting = Promise.withResolvers<number>()
    this.#waiting.set(session, waiting)
    const timer = setTimeout(() => this.hear({ session, port: this.port }), ANSWER_MS)
    this.#ask({ session, port: this.port, gone })
    return waiting.promise.finally(() => clearTimeout(timer))
  }

  /** The daemon's answer. */
  hear({ session, port }: Pick<SessionClaim, 'session' | 'port'>): void {
    this.#moved.delete(session)
    if (port !== this.port) this.#moved.set(session, port)
    if (this.#moved.size > MAX_MOVED) this.#moved.delete(this.#moved.keys().next().value!)
    this.#waiting.get(session)?.resolve(port)
    this.#waiting.delete(session)
  }
}
