import type { Socket } from 'node:net'
import type { InstanceReport } from '../../shared/deployments.ts'
import type {
  Announcement,
  EarlierVersion,
  SessionClaim,
  TenantMetrics,
} from '../../shared/instance-protocol.ts'
import { RequestTally, type SeriesCounts } from '../../shared/request-tally.ts'
import type { RevokedTokens } from '../../shared/revoked-tokens.ts'
import type { HostWatcher, ServedCode } from './host.ts'
import type { HostEnding } from './host-ending.ts'
import type { LendableSocket } from './loan.ts'
import type { NamedRequest } from './named-request.ts'
import type { Place } from './placement.ts'
import type { Provided } from './supervisor.ts'

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
  /** Its server's code said that something changed. */
  onAnnounced?(instance: Instance, announcement: Announcement): void
  /** A session is to be taken over. */
  onClaim?(instance: Instance, claim: SessionClaim): void
  /** It sleeps, and a request needs it. */
  onWake?(instance: Instance): void
}

export interface InstancePast {
  /** Times that an instance in this one's stead has crashed. */
  restarts: number
  /** What the last of them did, as the rest of a sentence about it. */
  lastFailure?: string | undefined
}

/** One tenant in one process. */
export class Instance {
  readonly place: Place
  readonly startedAt = Date.now()
  readonly #past: InstancePast
  state: InstanceReport['state'] = 'starting'
  /** Started to take the place of others: no connections, and counted nowhere, until they make room. */
  isReserve = false
  readyAt: number | undefined
  metrics: Omit<TenantMetrics, 'series'> | undefined
  readonly #requests = new RequestTally()
  readonly #watcher: HostWatcher
  /** It was asked where it keeps its sessions, and has said nothing since. */
  isSilent = false
  #kept: Promise<number | undefined> | undefined
  #handedOver = 0
  #reportedAt = 0
  #lastHandOverAt = 0

  constructor(place: Place, past: InstancePast, events: InstanceEvents) {
    this.place = place
    this.#past = { ...past }
    this.#watcher = {
      onMetrics: ({ series, ...metrics }) => {
        this.metrics = metrics
        this.#handedOver = 0
        this.#reportedAt = Date.now()
        for (const part of series) this.#requests.add(part)
        events.onMetrics(series)
      },
      onRestarting: how => {
        this.#past.restarts++
        this.#past.lastFailure = how
      },
      onEnded: ending => events.onEnded(this, ending),
      onFailed: error => events.onFailed(this, error),
      onAnnounced: announcement => events.onAnnounced?.(this, announcement),
      onClaim: claim => events.onClaim?.(this, claim),
      onWake: () => events.onWake?.(this),
    }
    place.host.watch(place.tenant.id, this.#watcher)
  }

  get restarts(): number {
    return this.#past.restarts
  }

  get id(): string {
    return this.place.instanceId
  }

  /** Rejects with RefusedArtifactError, HostEndedError. A process that does not answer in time is killed. */
  async start(code: ServedCode, timeoutMs: number, provided: Provided = {}): Promise<void> {
    const { host, tenant } = this.place
    const timer = setTimeout(() => host.kill(), timeoutMs)
    try {
      await host.ready
      if (this.state !== 'starting') return // given up meanwhile: its place is somebody else's
      await host.serve({ ...tenant, ...provided }, code, this.id)
      this.readyAt = Date.now()
      if (this.state === 'starting') this.state = 'ready'
    } finally {
      clearTimeout(timer)
    }
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
    const { host, tenant } = this.place
    host.handOver({ tenantId: tenant.id, socket, named, giveBack })
  }

  /** Resolves with the port where it takes requests of its sessions; with nothing when its process ended. Asked once. */
  keepSessions(): Promise<number | undefined> {
    if (this.#kept) return this.#kept
    const { host, tenant } = this.place
    this.isSilent = true
    this.#kept = host
      .keep(tenant.id)
      .catch(() => undefined)
      .finally(() => {
        this.isSilent = false
      })
    return this.#kept
  }

  tellChanged({ lists, uris }: Announcement): void {
    const { host, tenant } = this.place
    if (this.state === 'ready') host.tell({ type: 'announced', tenantId: tenant.id, lists, uris })
  }

  tellWoken(): void {
    const { host, tenant } = this.place
    host.tell({ type: 'woken', tenantId: tenant.id })
  }

  /** `port`: of the instance that has the session. */
  tellOwner(session: string, port: number): void {
    const { host, tenant } = this.place
    host.tell({ type: 'claimed', tenantId: tenant.id, session, port })
  }

  /** Before it serves, too: what it is to serve tells what was revoked until then. */
  tellRevoked(tokens: RevokedTokens): void {
    const { host, tenant } = this.place
    host.tell({ type: 'revoked', tenantId: tenant.id, tokens })
  }

  /** Which earlier releases still serve their sessions. */
  tellEarlier(versions: EarlierVersion[]): void {
    const { host, tenant } = this.place
    host.tell({ type: 'earlier', tenantId: tenant.id, versions })
  }

  /** Accepts connections by itself until it gives the socket back. */
  borrow(socket: LendableSocket): void {
    this.place.host.lend(this.place.tenant.id, socket)
  }

  giveBack(): void {
    this.place.host.endLoan(this.place.tenant.id)
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
    const { host, tenant } = this.place
    if (count > 0) host.tell({ type: 'shed', tenantId: tenant.id, count })
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
      requests: this.#requests.summary(),
    }
  }

  forget(): void {
    this.state = 'stopped'
    this.place.host.unwatch(this.place.tenant.id, this.#watcher)
  }
}
