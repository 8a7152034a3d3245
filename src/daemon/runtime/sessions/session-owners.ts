import type { EarlierVersion, SessionClaim } from '../../../shared/instances/instance-protocol.ts'

/**
 * Maximum number of claims per deployment. Beyond this number, the oldest claim is forgotten, so its session may move once
 * more.
 */
const MAX_CLAIMS = 10_000
/** Maximum number of earlier releases of an address that keep their sessions. Each may keep a process of 15 MB running. */
const MAX_EARLIER = 16
/**
 * Time limit for the answer to `keepSessions`, so that an instance that is blocked by its code does not delay a release. The
 * instance was first asked while the release was starting.
 */
const KEEP_ANSWER_MS = 400

/** Records which instance took over which session of a stopped instance. The first instance that asks gets the session. */
export class SessionClaims {
  readonly #owners = new Map<string, { instance: object; port: number }>()

  /** Returns the port of the instance that now has the session. */
  settle(asking: object, { session, port, gone }: SessionClaim): number {
    const owner = this.#owners.get(session)
    if (owner && owner.instance !== asking && owner.port !== gone) return owner.port
    this.#owners.delete(session)
    this.#owners.set(session, { instance: asking, port })
    if (this.#owners.size > MAX_CLAIMS) this.#owners.delete(this.#owners.keys().next().value!)
    return port
  }

  forget(instance: object): void {
    for (const [session, owner] of this.#owners) if (owner.instance === instance) this.#owners.delete(session)
  }
}

/**
 * Prepares the instances to accept requests in their sessions from other instances. Returns their ports. Omits instances that do
 * not answer in time.
 */
export async function keepSessions(
  instances: { id: string; keepSessions(): Promise<number | undefined> }[],
): Promise<EarlierVersion['instances']> {
  const kept = await Promise.all(
    instances.map(async instance => {
      const late = new Promise<undefined>(
        resolve => void setTimeout(() => resolve(undefined), KEEP_ANSWER_MS).unref(),
      )
      const port = await Promise.race([instance.keepSessions(), late])
      return port === undefined ? [] : [{ id: instance.id, port }]
    }),
  )
  return kept.flat()
}

/** A release whose instances have sessions. */
export interface SessionKeeper {
  /** Returns the ports on which the instances will serve the sessions that they keep. */
  keepSessions(): Promise<EarlierVersion['instances']>
  readonly instances: {
    earlier: EarlierVersion[]
    readonly sessions: number
    releaseSessions(): void
  }
}

/** Keeps the instances of each release informed about earlier releases that still serve their sessions. */
export class SessionTransfers {
  readonly #releases: ReadonlyMap<string, SessionKeeper>

  constructor(releases: ReadonlyMap<string, SessionKeeper>) {
    this.#releases = releases
  }

  async transfer(from: string, to: string): Promise<void> {
    const old = this.#releases.get(from)
    const kept = (await old?.keepSessions()) ?? []
    const next = this.#releases.get(to)
    if (!old || !next) return // removed while the instances answered
    const all = [...old.instances.earlier, ...(kept.length > 0 ? [{ version: from, instances: kept }] : [])]
    for (const { version } of all.slice(0, -MAX_EARLIER))
      this.#releases.get(version)?.instances.releaseSessions()
    next.instances.earlier = all.slice(-MAX_EARLIER)
  }

  /** Earlier releases with their number of kept sessions. */
  list(id: string): { deployment_id: string; sessions: number }[] {
    const earlier = this.#releases.get(id)?.instances.earlier ?? []
    return earlier.flatMap(({ version }) => {
      const sessions = this.#releases.get(version)?.instances.sessions ?? 0
      return sessions > 0 ? [{ deployment_id: version, sessions }] : []
    })
  }

  /** Called when the release and its sessions have ended. */
  forget(id: string): void {
    for (const { instances } of this.#releases.values())
      if (instances.earlier.some(({ version }) => version === id))
        instances.earlier = instances.earlier.filter(({ version }) => version !== id)
  }
}
