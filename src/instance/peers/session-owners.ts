import type { EarlierVersion, SessionClaim } from '../../shared/instances/instance-protocol.ts'

/** Instances that still serve sessions of earlier releases, by deployment. */
export type EarlierVersions = ReadonlyMap<string, EarlierVersion['instances']>

/** Maximum number of remembered sessions. The owner of a forgotten session is requested again. */
const MAX_MOVED = 10_000
/** Maximum time that a request waits for the daemon's answer. */
const ANSWER_MS = 2000

/**
 * Owners of sessions whose first instance has stopped. Any instance may get their requests. The daemon assigns each session
 * to one instance, so that an answer arrives where its question was asked.
 */
export class SessionOwners {
  /** Port where this instance accepts relayed requests. */
  readonly port: number
  readonly #ask: (claim: SessionClaim) => void
  readonly #moved = new Map<string, number>()
  readonly #waiting = new Map<string, PromiseWithResolvers<number>>()

  constructor(port: number, ask: (claim: SessionClaim) => void) {
    this.port = port
    this.#ask = ask
  }

  /** Port of the instance that took the session over, if known. */
  portOf(session: string): number | undefined {
    return this.#moved.get(session)
  }

  /** Port of the session's owner. This instance's port if the daemon names none in time. `gone`: port that no longer answers. */
  claim(session: string, gone: number): Promise<number> {
    const pending = this.#waiting.get(session)
    if (pending) return pending.promise
    const waiting = Promise.withResolvers<number>()
    this.#waiting.set(session, waiting)
    const timer = setTimeout(() => this.setOwner({ session, port: this.port }), ANSWER_MS)
    this.#ask({ session, port: this.port, gone })
    return waiting.promise.finally(() => clearTimeout(timer))
  }

  /** Receives the daemon's answer. */
  setOwner({ session, port }: Pick<SessionClaim, 'session' | 'port'>): void {
    this.#moved.delete(session)
    if (port !== this.port) this.#moved.set(session, port)
    if (this.#moved.size > MAX_MOVED) this.#moved.delete(this.#moved.keys().next().value!)
    this.#waiting.get(session)?.resolve(port)
    this.#waiting.delete(session)
  }
}
