import type { SessionClaim } from '../../shared/instance-protocol.ts'
import type { Instance } from './instance.ts'

/** Claims of one deployment; above it the oldest is forgotten, whose session may move once more. */
const MAX_CLAIMS = 10_000

/** Which instance took over which session whose first instance is gone: the first one that asks. */
export class SessionClaims {
  readonly #owners = new Map<string, { instance: Instance; port: number }>()

  /** Port of the instance that has the session from now on. */
  settle(asking: Instance, { session, port, gone }: SessionClaim): number {
    const owner = this.#owners.get(session)
    if (owner && owner.instance !== asking && owner.port !== gone) return owner.port
    this.#owners.delete(session)
    this.#owners.set(session, { instance: asking, port })
    if (this.#owners.size > MAX_CLAIMS) this.#owners.delete(this.#owners.keys().next().value!)
    return port
  }

  forget(instance: Instance): void {
    for (const [session, owner] of this.#owners) if (owner.instance === instance) this.#owners.delete(session)
  }
}
