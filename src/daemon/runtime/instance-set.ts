import type { Socket } from 'node:net'
import type { Announcement, EarlierVersion, SessionClaim } from '../../shared/instance-protocol.ts'
import type { SeriesCounts } from '../../shared/request-tally.ts'
import type { RevokedTokens } from '../../shared/revoked-tokens.ts'
import { burdenOf, surplusConnections } from './balance.ts'
import type { DrainOrder } from './host.ts'
import type { HostEnding } from './host-ending.ts'
import { Instance, type InstanceEvents, type InstancePast } from './instance.ts'
import type { NamedRequest } from './named-request.ts'
import type { Place } from './placement.ts'
import { SessionClaims } from './session-claims.ts'
import type { ServedReport } from './supervisor.ts'
import { Traffic } from './traffic.ts'

/** How instances leave; without anything, nobody has their address after them. */
export interface Leaving {
  order?: DrainOrder
  /** Longest time that sessions stay. */
  sessionsMs?: number
  /** Takes a promise of each instance that is told: it resolves when the instance has begun to leave. */
  begun?: Promise<void>[]
  /** Takes connections that reach nobody here any more, where another one has the address. */
  onward?(socket: Socket, named: NamedRequest | undefined): void
}

/** What the instances tell that their deployment must answer. */
export type InstanceSetEvents = Omit<InstanceEvents, 'onAnnounced' | 'onClaim'>

const NONE_EARLIER: EarlierVersion[] = []
const NO_TRAFFIC = new Traffic()

/**
 * The instances of one deployment, those on their way out included, and what all of them together have served. Thousands
 * of deployments have one or none: what only several need, or traffic, is made then.
 */
export class InstanceSet implements InstanceEvents {
  readonly #events: InstanceSetEvents
  #all: readonly Instance[] = []
  #traffic: Traffic | undefined
  #claims: SessionClaims | undefined
  #earlier = NONE_EARLIER

  constructor(events: InstanceSetEvents) {
    this.#events = events
  }

  /** `past`: of the one in whose stead it starts. */
  open(place: Place, past?: InstancePast): Instance {
    const instance = new Instance(place, this, past)
    this.#all = [...this.#all, instance]
    return instance
  }

  onMetrics(series: SeriesCounts[]): void {
    this.#events.onMetrics(series)
  }

  onEnded(instance: Instance, ending: HostEnding): void {
    this.#events.onEnded(instance, ending)
  }

  onFailed(instance: Instance, error: Error): void {
    this.#events.onFailed(instance, error)
  }

  onWake(instance: Instance): void {
    this.#events.onWake(instance)
  }

  /** Each client listens at one instance, and any of them may be where something changed, or a session ended. */
  onAnnounced(from: Instance, announcement: Announcement): void {
    for (const instance of this.#all) if (instance !== from) instance.tellAnnounced(announcement)
  }

  onClaim(from: Instance, claim: SessionClaim): void {
    this.#claims ??= new SessionClaims()
    from.tellOwner(claim.session, this.#claims.settle(from, claim))
  }

  /** Earlier releases of its address that serve their sessions. */
  get earlier(): EarlierVersion[] {
    return this.#earlier
  }

  set earlier(versions: EarlierVersion[]) {
    this.#earlier = versions
    for (const instance of this.ready) instance.tellEarlier(versions)
  }

  /** Before it takes its first connection. */
  tellEarlier(instance: Instance): void {
    if (this.#earlier.length > 0) instance.tellEarlier(this.#earlier)
  }

  tellRevoked(tokens: RevokedTokens): void {
    for (const instance of this.#all) instance.tellRevoked(tokens)
  }

  /** Sessions that stayed are the next release's from now on. */
  letSessionsGo(): void {
    for (const { place } of this.#all)
      place.host.tell({ type: 'drain', tenantId: place.tenantId, changed: [] })
  }

  find(id: string): Instance | undefined {
    return this.#all.find(instance => instance.id === id)
  }

  /** Of those that served a request or a connection since then, or whatever became of one. */
  idsHeardOfSince(since: number): string[] {
    return this.#all.filter(({ heardAt }) => heardAt >= since).map(({ id }) => id)
  }

  get ids(): string[] {
    return this.#all.map(({ id }) => id)
  }

  get ready(): Instance[] {
    return this.#all.filter(({ isReady }) => isReady)
  }

  /** Ready or about to be. */
  get live(): Instance[] {
    return this.#all.filter(({ isLive }) => isLive)
  }

  /** The one that takes connections, when no other exists. */
  get only(): Instance | undefined {
    const [only] = this.#all
    return this.#all.length === 1 && only?.takesConnections ? only : undefined
  }

  endLoans(): void {
    for (const instance of this.#all) instance.giveBack()
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

  /** Sum of the utilisations of their event loops. */
  busy(now: number): number {
    return this.ready.reduce((sum, instance) => sum + instance.utilization(now), 0)
  }

  /** The least loaded of those that take connections. */
  pick(now = Date.now()): Instance | undefined {
    let least: { instance: Instance; burden: number } | undefined
    for (const instance of this.#all) {
      if (!instance.takesConnections) continue
      const { connections, activeRequests } = instance
      const burden = burdenOf({ connections, activeRequests, utilization: instance.utilization(now) })
      if (!least || burden < least.burden) least = { instance, burden }
    }
    return least?.instance
  }

  /** Those that have more than their share of the connections let go of some. */
  rebalance(): void {
    const { ready } = this
    const surplus = surplusConnections(ready.map(({ connections }) => connections))
    for (const [index, instance] of ready.entries()) instance.shed(surplus[index]!)
  }

  /** Lets it finish for at most `drainMs`, or as long as sessions stay there, then ends it. */
  async dismiss(instance: Instance, drainMs: number, leaving: Leaving = {}): Promise<void> {
    const wasReady = instance.state === 'ready'
    if (wasReady || instance.state === 'starting') instance.state = 'draining'
    instance.giveBack()
    const { place } = instance
    if (wasReady && drainMs > 0) {
      const draining = place.host.drain(place.tenantId, leaving.order)
      leaving.begun?.push(instance.isSilent ? atMost(draining.begun, SILENT_MS) : draining.begun)
      await finish(instance, draining.ended, drainMs, leaving)
    }
    await place.leave()
    this.forget(instance)
  }

  async dismissAll(drainMs: number, leaving: Leaving = {}): Promise<void> {
    const all = this.#all
    const siblings = all.map(({ id }) => id)
    const told = leaving.order ? { ...leaving, order: { ...leaving.order, siblings } } : leaving
    await Promise.all(all.map(instance => this.dismiss(instance, drainMs, told)))
  }

  forget(instance: Instance): void {
    if (!this.#all.includes(instance)) return
    this.#all = this.#all.filter(other => other !== instance)
    if (instance.metrics) this.#keep(instance.metrics)
    this.#claims?.forget(instance)
    instance.forget()
  }

  #keep(metrics: NonNullable<Instance['metrics']>): void {
    this.#traffic ??= new Traffic()
    this.#traffic.keep(metrics)
  }

  report(): ServedReport {
    const now = Date.now()
    // Those that serve, or soon will, before those on their way out.
    const all = [...this.#all].sort((a, b) => Number(b.isLive) - Number(a.isLive))
    return {
      instances: all.map(instance => instance.report(now)),
      requests: (this.#traffic ?? NO_TRAFFIC).report(all.map(({ metrics }) => metrics)),
    }
  }
}

/** What has said nothing since the release began most likely hangs and answers nobody: it is hardly waited for. */
const SILENT_MS = 300

function atMost(promise: Promise<void>, limitMs: number): Promise<void> {
  return Promise.race([promise, new Promise<void>(resolve => void setTimeout(resolve, limitMs).unref())])
}

async function finish(
  instance: Instance,
  drained: Promise<void>,
  drainMs: number,
  { sessionsMs = 0 }: Leaving,
): Promise<void> {
  const until = Date.now() + sessionsMs
  while (!(await settledWithin(drained, drainMs)) && instance.sessions > 0 && Date.now() < until);
}

/** False when that takes longer. */
async function settledWithin(promise: Promise<void>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<boolean>(resolve => {
    timer = setTimeout(resolve, limitMs, false)
  })
  const isSettled = await Promise.race([promise.then(() => true), limit])
  clearTimeout(timer)
  return isSettled
}
