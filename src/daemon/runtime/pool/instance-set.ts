import type {
  Announcement,
  EarlierVersion,
  SessionClaim,
} from '../../../shared/instances/instance-protocol.ts'
import type { RevokedTokens } from '../../../shared/instances/revoked-tokens.ts'
import type { Place } from '../placement/placement.ts'
import type { ServedReport } from '../served.ts'
import { SessionClaims } from '../sessions/session-owners.ts'
import { loadOf, surplusConnections } from './balance.ts'
import { type DrainOptions, drainInstance } from './drain.ts'
import { Instance, type InstanceHistory, type InstanceOwner, type Siblings } from './instance.ts'

const NONE_EARLIER: EarlierVersion[] = []

/**
 * The instances of one deployment, including draining ones. Thousands of deployments have one instance or none, so fields that
 * only several instances need are created lazily.
 */
export class InstanceSet implements Siblings {
  readonly #owner: InstanceOwner
  #all: readonly Instance[] = []
  #claims: SessionClaims | undefined
  #earlier = NONE_EARLIER

  constructor(owner: InstanceOwner) {
    this.#owner = owner
  }

  /** `history`: the history of the instance that the new one replaces. */
  open(place: Place, history?: InstanceHistory): Instance {
    const instance = new Instance(place, this.#owner, this, history)
    this.#all = [...this.#all, instance]
    this.#owner.onState(instance)
    return instance
  }

  /**
   * Forwards an announcement to the other instances, because each client listens on one instance, and a list may change or a
   * session may end in any of them.
   */
  announce(from: Instance, { lists, uris, used, ended }: Announcement): void {
    for (const instance of this.#all) {
      if (instance === from || instance.state === 'starting') continue
      instance.notify({ type: 'announced', lists, uris, used, ended })
    }
  }

  claim(from: Instance, claim: SessionClaim): void {
    this.#claims ??= new SessionClaims()
    const port = this.#claims.settle(from, claim)
    from.notify({ type: 'claimed', session: claim.session, port })
  }

  /** Earlier releases of the address that still serve their sessions. */
  get earlier(): EarlierVersion[] {
    return this.#earlier
  }

  set earlier(versions: EarlierVersion[]) {
    this.#earlier = versions
    for (const instance of this.ready) instance.notify({ type: 'earlier', versions })
  }

  /** Must be called before the instance takes its first connection. */
  notifyEarlier(instance: Instance): void {
    if (this.#earlier.length > 0) instance.notify({ type: 'earlier', versions: this.#earlier })
  }

  notifyRevoked(tokens: RevokedTokens): void {
    for (const instance of this.#all) instance.notify({ type: 'revoked', tokens })
  }

  /** Moves the sessions that were kept here to the next release. */
  releaseSessions(): void {
    for (const instance of this.#all) instance.notify({ type: 'drain', changed: [] })
  }

  find(id: string): Instance | undefined {
    return this.#all.find(instance => instance.id === id)
  }

  /** Ids of the instances that have sent metrics since the given time (Unix ms). */
  idsActiveSince(since: number): string[] {
    return this.#all.filter(({ reportedAt }) => reportedAt >= since).map(({ id }) => id)
  }

  get all(): readonly Instance[] {
    return this.#all
  }

  get ids(): string[] {
    return this.#all.map(({ id }) => id)
  }

  get ready(): Instance[] {
    return this.#all.filter(({ isReady }) => isReady)
  }

  /** Ready or starting. */
  get live(): Instance[] {
    return this.#all.filter(({ isLive }) => isLive)
  }

  /** The instance that takes connections, if it is the only one. */
  get only(): Instance | undefined {
    const [only] = this.#all
    return this.#all.length === 1 && only?.takesConnections ? only : undefined
  }

  endLeases(): void {
    for (const instance of this.#all) instance.endLease()
  }

  get sessions(): number {
    return this.#all.reduce((sum, { sessions }) => sum + sessions, 0)
  }

  get activeRequests(): number {
    return this.live.reduce((sum, { activeRequests }) => sum + activeRequests, 0)
  }

  isBusy(now: number): boolean {
    return this.live.some(instance => instance.isBusy(now))
  }

  /** Sum of the event-loop utilizations. */
  utilization(now: number): number {
    return this.ready.reduce((sum, instance) => sum + instance.utilization(now), 0)
  }

  /** The least loaded instance that takes connections. */
  pick(now = Date.now()): Instance | undefined {
    let least: { instance: Instance; load: number } | undefined
    for (const instance of this.#all) {
      if (!instance.takesConnections) continue
      const { connections, activeRequests } = instance
      const load = loadOf({ connections, activeRequests, utilization: instance.utilization(now) })
      if (!least || load < least.load) least = { instance, load }
    }
    return least?.instance
  }

  /** Makes instances with more than their share of connections close some of them. */
  rebalance(): void {
    const { ready } = this
    const surplus = surplusConnections(ready.map(({ connections }) => connections))
    for (const [index, instance] of ready.entries()) {
      const count = surplus[index]!
      if (count > 0) instance.notify({ type: 'shed', count })
    }
  }

  /** Drains the instance (see `drainInstance`), then removes it. */
  async dismiss(instance: Instance, drainMs: number, options: DrainOptions = {}): Promise<void> {
    const wasReady = instance.state === 'ready'
    if (wasReady || instance.state === 'starting') instance.state = 'draining'
    instance.endLease()
    if (wasReady && drainMs > 0) await drainInstance(instance, drainMs, options)
    await instance.place.leave()
    this.remove(instance)
  }

  async dismissAll(drainMs: number, options: DrainOptions = {}): Promise<void> {
    const all = this.#all
    const { notice } = options
    const each = notice ? { ...options, notice: { ...notice, siblings: all.map(({ id }) => id) } } : options
    await Promise.all(all.map(instance => this.dismiss(instance, drainMs, each)))
  }

  remove(instance: Instance): void {
    if (!this.#all.includes(instance)) return
    this.#all = this.#all.filter(other => other !== instance)
    this.#claims?.forget(instance)
    instance.stopWatching()
  }

  report(): ServedReport {
    const now = Date.now()
    // Instances that serve, or soon will, come before draining ones.
    const all = [...this.#all].sort((a, b) => Number(b.isLive) - Number(a.isLive))
    return { instances: all.map(instance => instance.report(now)) }
  }
}
