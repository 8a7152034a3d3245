import type { Socket } from 'node:net'
import type { InstanceReport } from '../../shared/health-reports.ts'
import type {
  Announcement,
  EarlierVersion,
  SessionClaim,
  Tenant,
  TenantMetrics,
} from '../../shared/instance-protocol.ts'
import { RequestTally, type SeriesCounts } from '../../shared/request-tally.ts'
import type { RevokedTokens } from '../../shared/revoked-tokens.ts'
import type { HostWatcher, ServedCode } from './host.ts'
import type { HostEnding } from './host-ending.ts'
import type { LendableSocket } from './loan.ts'
import type { NamedRequest } from './named-request.ts'
import type { Place } from './placement.ts'

/** Metrics come at most a second after a change; older hand-overs are counted in them. */
const METRICS_DUE_MS = 5000
/** A process that has said nothing for so long has nothing to do, unless requests are at work: they may keep it from speaking. */
const SILENT_MS = 2500
const SILENT_AT_WORK_MS = 30_000

export interface InstanceEvents {
  /** `series`: requests since the last report. */
  onMetrics(series: SeriesCounts[]): void
  /** Its process ended while the instance was not forgotten. */
  onEnded(instance: Instance, ending: HostEnding): void
  /** Its process says that it cannot go on. */
  onFailed(instance: Instance, error: Error): void
  /** It has something to say to the deployment's other ones. */
  onAnnounced(instance: Instance, announcement: Announcement): void
  /** A session is to be taken over. */
  onClaim(instance: Instance, claim: SessionClaim): void
  /** It sleeps, and a request needs it. */
  onWake(instance: Instance): void
}

export interface InstancePast {
  /** Times that an instance in this one's stead has crashed. */
  restarts: number
  /** What the last of them did, as the rest of a sentence about it. */
  lastFailure?: string | undefined
}

const NO_REQUESTS = new RequestTally()
const NEVER_BEFORE: InstancePast = { restarts: 0 }

/** One tenant in one process. Thousands of them wait for requests, so what only a request needs comes with the first one. */
export class Instance implements HostWatcher {
  readonly place: Place
  readonly startedAt = Date.now()
  state: InstanceReport['state'] = 'starting'
  /** Started to take the place of others: no connections, and counted nowhere, until they make room. */
  isReserve = false
  readyAt: number | undefined
  metrics: Omit<TenantMetrics, 'series'> | undefined
  /** It was asked where it keeps its sessions, and has said nothing since. */
  isSilent = false
  readonly #events: InstanceEvents
  #past: InstancePast
  #requests: RequestTally | undefined
  #kept: Promise<number | undefined> | undefined
  #handedOver = 0
  #reportedAt = 0
  #lastHandOverAt = 0

  constructor(place: Place, events: InstanceEvents, past = NEVER_BEFORE) {
    this.place = place
    this.#events = events
    this.#past = past
    place.host.watch(place.tenantId, this)
  }

  onMetrics({ series, ...metrics }: TenantMetrics): void {
    this.metrics = metrics
    this.#handedOver = 0
    this.#reportedAt = Date.now()
    if (series.length > 0) this.#requests ??= new RequestTally()
    for (const part of series) this.#requests?.add(part)
    this.#events.onMetrics(series)
  }

  onRestarting(lastFailure: string): void {
    this.#past = { restarts: this.restarts + 1, lastFailure }
  }

  onEnded(ending: HostEnding): void {
    this.#events.onEnded(this, ending)
  }

  onFailed(error: Error): void {
    this.#events.onFailed(this, error)
  }

  onAnnounced(announcement: Announcement): void {
    this.#events.onAnnounced(this, announcement)
  }

  onClaim(claim: SessionClaim): void {
    this.#events.onClaim(this, claim)
  }

  onWake(): void {
    this.#events.onWake(this)
  }

  get restarts(): number {
    return this.#past.restarts
  }

  get id(): string {
    return this.place.instanceId
  }

  /** Rejects with RefusedArtifactError, HostEndedError. A process that does not answer in time is killed. */
  async start(tenant: Tenant, code: ServedCode, timeoutMs: number): Promise<void> {
    const { host } = this.place
    const timer = setTimeout(() => host.kill(), timeoutMs)
    try {
      await host.ready
      if (this.state !== 'starting') return // given up meanwhile: its place is somebody else's
      await host.serve(this.place.describe(tenant), code, this.id)
      this.readyAt = Date.now()
      if (this.state === 'starting') this.state = 'ready'
    } finally {
      clearTimeout(timer)
    }
  }

  /** When it last told of requests or connections; 0 before it did. */
  get heardAt(): number {
    return this.#reportedAt
  }

  /** Ready or about to be. */
  get isLive(): boolean {
    return !this.isReserve && (this.state === 'starting' || this.state === 'ready')
  }

  get isReady(): boolean {
    return !this.isReserve && this.state === 'ready'
  }

  get takesConnections(): boolean {
    return this.isReady && this.place.host.isReachable
  }

  handOver(socket: Socket, named: NamedRequest | undefined, giveBack: () => void): void {
    this.#handedOver++
    this.#lastHandOverAt = Date.now()
    const { host, tenantId } = this.place
    host.handOver({ tenantId, socket, named, giveBack })
  }

  /** Resolves with the port where it takes requests of its sessions; with nothing when its process ended. Asked once. */
  keepSessions(): Promise<number | undefined> {
    if (this.#kept) return this.#kept
    const { host, tenantId } = this.place
    this.isSilent = true
    this.#kept = host
      .keep(tenantId)
      .catch(() => undefined)
      .finally(() => {
        this.isSilent = false
      })
    return this.#kept
  }

  /** What another one of its deployment announced. */
  tellAnnounced({ lists, uris, used, ended }: Announcement): void {
    const { host, tenantId } = this.place
    if (this.state !== 'starting') host.tell({ type: 'announced', tenantId, lists, uris, used, ended })
  }

  tellWoken(): void {
    const { host, tenantId } = this.place
    host.tell({ type: 'woken', tenantId })
  }

  /** `port`: of the instance that has the session. */
  tellOwner(session: string, port: number): void {
    const { host, tenantId } = this.place
    host.tell({ type: 'claimed', tenantId, session, port })
  }

  /** Before it serves, too: what it is to serve tells what was revoked until then. */
  tellRevoked(tokens: RevokedTokens): void {
    const { host, tenantId } = this.place
    host.tell({ type: 'revoked', tenantId, tokens })
  }

  /** Which earlier releases still serve their sessions. */
  tellEarlier(versions: EarlierVersion[]): void {
    const { host, tenantId } = this.place
    host.tell({ type: 'earlier', tenantId, versions })
  }

  /** Accepts connections by itself until it gives the socket back. */
  borrow(socket: LendableSocket): void {
    this.place.host.lend(this.place.tenantId, socket)
  }

  giveBack(): void {
    this.place.host.endLoan(this.place.tenantId)
  }

  /** Open connections, those that it has not yet told of included. */
  get connections(): number {
    return (this.metrics?.connections ?? 0) + this.#handedOver
  }

  get activeRequests(): number {
    return this.metrics?.activeRequests ?? 0
  }

  get sessions(): number {
    return this.metrics?.sessions ?? 0
  }

  /** Of the process's event loop, 0 to 1; it may have other tenants. */
  utilization(now: number): number {
    const silentMs = now - this.#reportedAt
    const isStale = silentMs > (this.activeRequests > 0 ? SILENT_AT_WORK_MS : SILENT_MS)
    return isStale ? 0 : this.place.host.utilization
  }

  /** Other instances have room for so many of its connections. */
  shed(count: number): void {
    const { host, tenantId } = this.place
    if (count > 0) host.tell({ type: 'shed', tenantId, count })
  }

  isBusy(now: number): boolean {
    const open = (this.metrics?.connections ?? 0) + this.activeRequests
    return open > 0 || (this.#handedOver > 0 && now - this.#lastHandOverAt < METRICS_DUE_MS)
  }

  report(now: number): InstanceReport {
    const { host } = this.place
    return {
      id: this.id,
      state: this.state,
      pid: host.pid ?? null,
      uptimeSeconds: Math.round(now - (this.readyAt ?? this.startedAt)) / 1000,
      restarts: this.restarts,
      ...(this.#past.lastFailure !== undefined && { lastFailure: this.#past.lastFailure }),
      memoryBytes: host.memoryBytes,
      activeRequests: this.activeRequests,
      requests: (this.#requests ?? NO_REQUESTS).summary(),
    }
  }

  forget(): void {
    this.state = 'stopped'
    this.place.host.unwatch(this.place.tenantId, this)
  }
}
