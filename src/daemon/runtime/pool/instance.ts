import type { Socket } from 'node:net'
import type { InstanceReport } from '../../../shared/contract/monitoring/health-reports.ts'
import type {
  Announcement,
  SessionClaim,
  Tenant,
  TenantMetrics,
} from '../../../shared/instances/instance-protocol.ts'
import { RequestTally, type SeriesCounts } from '../../../shared/instances/request-tally.ts'
import type { EndedSessions, SessionQuery, SessionReport } from '../../../shared/instances/session-reports.ts'
import type { Place } from '../placement/placement.ts'
import type { ServedCode, TenantNotice } from '../process/host.ts'
import type { NamedRequest } from '../process/named-request.ts'
import type { ShareableSocket } from '../process/socket-lease.ts'
import type { TenantWatcher } from '../process/tenant-watcher.ts'

/** Metrics arrive at most a second after a change, so they include hand-overs that are older than this limit. */
const METRICS_DUE_MS = 5000
/** A process without a report for this long is idle, unless requests are active, which may block its event loop. */
const SILENT_MS = 2500
const SILENT_AT_WORK_MS = 30_000

/** Decides how to react to an instance's reports. */
export interface InstanceOwner {
  /** `series`: requests since the last report. */
  onMetrics(series: SeriesCounts[]): void
  /** The process exited, or it can no longer serve the tenant. */
  onFailed(instance: Instance, error: Error): void
  /** The instance is new, or its state has changed. */
  onState(instance: Instance): void
  /** The instance sleeps, and a request needs it. */
  onWake(instance: Instance): void
}

/** The other instances of the deployment. */
export interface Siblings {
  announce(from: Instance, announcement: Announcement): void
  claim(from: Instance, claim: SessionClaim): void
}

export interface InstanceHistory {
  /** Failures of this instance and of those that it replaces: crashes, and the use of too much memory. */
  restarts: number
  /** The last failure, as the end of a sentence about the instance. */
  lastFailure?: string | undefined
}

type WithoutTenantId<Message> = Message extends unknown ? Omit<Message, 'tenantId'> : never

const NO_REQUESTS = new RequestTally()
const NO_HISTORY: InstanceHistory = { restarts: 0 }

/**
 * One tenant in one process. Thousands wait for requests, so fields that only requests need are created on the first request.
 */
export class Instance implements TenantWatcher {
  readonly place: Place
  readonly startedAt = Date.now()
  /** Started to replace other instances. Not counted until it takes connections. */
  isReserve = false
  readyAt: number | undefined
  metrics: Omit<TenantMetrics, 'series'> | undefined
  /** True while `keepSessions` waits for an answer. */
  isUnresponsive = false
  #state: InstanceReport['state'] = 'starting'
  readonly #owner: InstanceOwner
  readonly #siblings: Siblings
  #history: InstanceHistory
  #requests: RequestTally | undefined
  #sessionPort: Promise<number | undefined> | undefined
  #handedOver = 0
  #reportedAt = 0
  #lastHandOverAt = 0

  constructor(place: Place, owner: InstanceOwner, siblings: Siblings, history = NO_HISTORY) {
    this.place = place
    this.#owner = owner
    this.#siblings = siblings
    this.#history = history
    place.host.watch(place.tenantId, this)
  }

  onMetrics({ series, ...metrics }: TenantMetrics): void {
    this.metrics = metrics
    this.#handedOver = 0
    this.#reportedAt = Date.now()
    if (series.length > 0) this.#requests ??= new RequestTally()
    for (const part of series) this.#requests?.add(part)
    this.#owner.onMetrics(series)
  }

  onRestarting(lastFailure: string): void {
    this.#history = { restarts: this.restarts + 1, lastFailure }
  }

  onFailed(error: Error): void {
    this.#owner.onFailed(this, error)
  }

  onAnnounced(announcement: Announcement): void {
    this.#siblings.announce(this, announcement)
  }

  onClaim(claim: SessionClaim): void {
    this.#siblings.claim(this, claim)
  }

  onWake(): void {
    this.#owner.onWake(this)
  }

  get state(): InstanceReport['state'] {
    return this.#state
  }

  set state(state: InstanceReport['state']) {
    this.#state = state
    this.#owner.onState(this)
  }

  get restarts(): number {
    return this.#history.restarts
  }

  get id(): string {
    return this.place.instanceId
  }

  /** Rejects like `Host.serve`. A process that does not answer in time is killed. */
  async start(tenant: () => Tenant, code: ServedCode, timeoutMs: number): Promise<void> {
    const { host } = this.place
    const timer = setTimeout(() => host.kill(), timeoutMs)
    try {
      await host.ready
      if (this.state !== 'starting') return // dismissed while starting
      // Read as late as possible, because later changes are only sent to processes that serve the tenant.
      await host.serve(this.place.describe(tenant()), code, this.id)
      this.readyAt = Date.now()
      if (this.state === 'starting') this.state = 'ready'
    } finally {
      clearTimeout(timer)
    }
  }

  /** Time of the last metrics. 0 before the first. */
  get reportedAt(): number {
    return this.#reportedAt
  }

  /** Ready or starting. */
  get isLive(): boolean {
    return !this.isReserve && (this.state === 'starting' || this.state === 'ready')
  }

  get isReady(): boolean {
    return !this.isReserve && this.state === 'ready'
  }

  /** True once the instance may have connections. */
  get isServing(): boolean {
    return this.readyAt !== undefined
  }

  get takesConnections(): boolean {
    return this.isReady && this.place.host.isReachable
  }

  handOver(socket: Socket, named: NamedRequest | undefined, onLost: () => void): void {
    this.#handedOver++
    this.#lastHandOverAt = Date.now()
    const { host, tenantId } = this.place
    host.handOver({ tenantId, socket, named, onLost })
  }

  /**
   * Port on which the instance accepts requests in its sessions. Undefined when its process has exited. Requested from the
   * process only once.
   */
  keepSessions(): Promise<number | undefined> {
    if (this.#sessionPort) return this.#sessionPort
    const { host, tenantId } = this.place
    this.isUnresponsive = true
    this.#sessionPort = host
      .query({ type: 'keep', tenantId }, 'kept')
      .then(
        ({ port }) => port,
        () => undefined,
      )
      .finally(() => {
        this.isUnresponsive = false
      })
    return this.#sessionPort
  }

  /**
   * Open sessions of the instance. Rejects when its process has exited. Takes a long time when its code blocks the process.
   */
  async listSessions(query: SessionQuery): Promise<SessionReport[]> {
    const { host, tenantId } = this.place
    return (await host.query({ type: 'list-sessions', tenantId, query }, 'sessions')).sessions
  }

  /** Ends sessions and returns the ids of those that were open. Otherwise like `listSessions`. */
  async endSessions(ended: EndedSessions): Promise<string[]> {
    const { host, tenantId } = this.place
    return (await host.query({ type: 'end-sessions', tenantId, ended }, 'sessions-ended')).ids
  }

  notify(notice: WithoutTenantId<TenantNotice>): void {
    const { host, tenantId } = this.place
    host.notify({ ...notice, tenantId })
  }

  /** Lets the instance accept connections itself until `endLease`. */
  lease(socket: ShareableSocket): void {
    this.place.host.lease(this.place.tenantId, socket)
  }

  endLease(): void {
    this.place.host.endLease(this.place.tenantId)
  }

  /** Open connections, including those that the instance has not reported yet. */
  get connections(): number {
    return (this.metrics?.connections ?? 0) + this.#handedOver
  }

  get activeRequests(): number {
    return this.metrics?.activeRequests ?? 0
  }

  get sessions(): number {
    return this.metrics?.sessions ?? 0
  }

  /** Utilization of the process's event loop, 0 to 1. The process may have other tenants. */
  utilization(now: number): number {
    const silentMs = now - this.#reportedAt
    const isStale = silentMs > (this.activeRequests > 0 ? SILENT_AT_WORK_MS : SILENT_MS)
    return isStale ? 0 : this.place.host.utilization
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
      ...(this.#history.lastFailure !== undefined && { lastFailure: this.#history.lastFailure }),
      memoryBytes: host.memoryBytes,
      activeRequests: this.activeRequests,
      requests: (this.#requests ?? NO_REQUESTS).summary(),
    }
  }

  stopWatching(): void {
    this.state = 'stopped'
    this.place.host.unwatch(this.place.tenantId, this)
  }
}
