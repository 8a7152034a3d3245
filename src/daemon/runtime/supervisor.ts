import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { DescribedServer } from '../../shared/definitions/artifact.ts'
import { HostingError } from '../../shared/errors.ts'
import { createId } from '../../shared/ids.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import type { LogLine } from '../../shared/instances/log-line.ts'
import type { SeriesCounts } from '../../shared/instances/request-tally.ts'
import type { RevokedTokens } from '../../shared/instances/revoked-tokens.ts'
import { isBorderless } from '../../shared/network/network-policy.ts'
import { prepareModuleSandbox } from '../engine/module-sandbox.ts'
import type { ProcessKind } from '../engine/process-engine.ts'
import type { TerminationDelays } from '../engine/termination.ts'
import { removeLeftoverLogs, spareLogPath } from './logs/host-logs.ts'
import { dedicatedPlacement, type StartHostOptions } from './placement/dedicated-hosts.ts'
import { type Place, type Placement, processKindOf } from './placement/placement.ts'
import { SharedHosts } from './placement/shared-hosts.ts'
import { WarmPool, type WarmPools } from './placement/warm-pool.ts'
import type { DrainOptions } from './pool/drain.ts'
import { Pool } from './pool/pool.ts'
import { type InstanceChange, POOL_LIMITS, type PoolLimits, type PoolOptions } from './pool/pool-options.ts'
import { refuseConnection } from './pool/unavailable.ts'
import { type DescribeLimits, describeIn } from './process/describe.ts'
import { Host, type HostOptions, type ServedCode } from './process/host.ts'
import type { NamedRequest } from './process/named-request.ts'
import type { ShareableSocket } from './process/socket-lease.ts'
import type { Served, ServedReport } from './served.ts'
import { LiveSessions } from './sessions/live-sessions.ts'
import { PeerPorts } from './sessions/peer-ports.ts'
import { SessionTransfers } from './sessions/session-owners.ts'

const HEAP_MB = 256
/** Maximum pause at a debugger breakpoint. */
const MAX_PAUSE_MS = 24 * 3600_000

export interface SupervisorOptions {
  instanceProgram: string
  logsDir: string
  /** Number of spare processes. Default: 1. */
  warmSpares?: number
  /** Limit on the JavaScript heap of one process, in MB. Default: 256. */
  memoryLimitMb?: number
  /** Tenants per shared process. Default: 3500. */
  tenantsPerHost?: number
  limits?: Partial<PoolLimits>
  /** A process that does not respond within this time is killed. Default: 30 s. */
  hangTimeoutMs?: number
  egress?: HostOptions['egress']
  stores?: HostOptions['stores']
  termination?: TerminationDelays
  /** Called when a server fails permanently while it runs or wakes up. A failed `start` only rejects. */
  onFailed(id: string, error: Error): void
  /** Requests that an instance has answered since its last report. */
  onTraffic?(id: string, series: SeriesCounts[]): void
  onEvent?(id: string, line: LogLine): void
  onInstance?(served: Pick<Served, 'id' | 'serverName'>, instance: InstanceChange): void
}

/** Runs all deployments and previews: starts, wakes, drains and removes them. */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #pools = new Map<string, Pool>()
  readonly #removals = new Set<Promise<void>>()
  readonly #describing = new Set<Place>()
  readonly #warmPools: WarmPools
  readonly #shared: SharedHosts
  readonly #peerPorts = new PeerPorts()
  readonly #sessions = new SessionTransfers(this.#pools)
  readonly liveSessions = new LiveSessions(this.#pools)
  readonly #placements: Record<Served['placement'], Placement>
  readonly #poolOptions: PoolOptions
  #closed = false

  constructor(options: SupervisorOptions) {
    this.#options = options
    const { logsDir, warmSpares = 1, tenantsPerHost = 3500, memoryLimitMb = HEAP_MB } = options
    removeLeftoverLogs(logsDir)
    const warmPools: WarmPools = {
      open: new WarmPool({ size: warmSpares, startHost: () => this.#startHost('open') }),
      // A build takes two in a row: one process describes the code, and another serves it.
      sealed: this.#lazyWarmPool('sealed', 2 * warmSpares),
      sealedOpenNetwork: this.#lazyWarmPool('sealedOpenNetwork', warmSpares),
      bridge: this.#lazyWarmPool('bridge', warmSpares),
    }
    this.#warmPools = warmPools
    this.#shared = new SharedHosts({ warmPool: warmPools.open, logsDir, tenantsPerHost })
    this.#placements = {
      dedicated: dedicatedPlacement({
        warmPools,
        logsDir,
        spareMb: 2 * memoryLimitMb,
        startHost: (kind, settings) => this.#startHost(kind, settings),
      }),
      shared: (servedId, options) => this.#shared.place(servedId, options),
    }
    const { onFailed, onTraffic = () => {}, onInstance = () => {}, onEvent } = options
    this.#poolOptions = {
      placements: this.#placements,
      limits: { ...POOL_LIMITS, ...options.limits },
      onFailed,
      onTraffic,
      onInstance,
      log: (id, level, message) =>
        onEvent?.(id, { timestamp: new Date().toISOString(), level, stream: 'server', message }),
    }
  }

  /** Adds a sleeping server. The first connection or `start` wakes it. Throws CONFLICT for a known id. */
  add(served: Served): void {
    const { id } = served
    if (this.#closed) throw new HostingError('UNAVAILABLE', 'The daemon is stopping. No server can start.')
    if (this.#pools.has(id)) throw new HostingError('CONFLICT', `"${id}" is already being served.`)
    this.#pools.set(id, new Pool(served, this.#poolOptions))
  }

  /** Resolves when the minimum number of instances is ready. Rejects with the last log lines in `details`. */
  start(id: string): Promise<void> {
    return this.#get(id).start()
  }

  /**
   * Replaces all instances without failing a request. Wakes a sleeping server. Rejects if a new instance does not start. The
   * old instances then keep serving.
   */
  renew(id: string): Promise<void> {
    return this.#get(id).renew()
  }

  /** Takes an accepted connection, unread except for the bytes in `named`. Answers 503 if no instance can take it. */
  connect(id: string, socket: Socket, named?: NamedRequest): void {
    const pool = this.#pools.get(id)
    if (pool) pool.connect(socket, named)
    else refuseConnection(socket, { message: 'This server is not running.', retryAfterSeconds: 5 }, named)
  }

  /** Lets the only instance accept connections itself during a burst. */
  shareSocket(id: string, socket: ShareableSocket): void {
    this.#pools.get(id)?.shareSocket(socket)
  }

  /**
   * Lets open connections finish, up to a limit, then removes the server. With `notice.changed`, another id has taken over
   * the address, and listening clients are notified of these changed lists. With `notice.sessionIdleMs`, sessions stay until
   * they end or are idle for that long.
   */
  drain(id: string, options?: DrainOptions): Promise<void> {
    return this.#remove(id, pool => pool.drain(options))
  }

  /**
   * Must be called before connections go to `to` instead of `from`. Instances of `to` then relay requests in sessions that
   * began in `from`, or in a release before it. With very many such releases, the oldest lose their sessions.
   */
  transferSessions(from: string, to: string): Promise<void> {
    return this.#sessions.transfer(from, to)
  }

  /** Asks the instances of `from` to keep their sessions. Called early, so that `transferSessions` finds the answers. */
  prepareSessionTransfer(from: string): void {
    void this.#pools.get(from)?.keepSessions()
  }

  /** Revokes these tokens from the issuer everywhere, including draining releases. */
  revoke(issuer: string, tokens: RevokedTokens): void {
    for (const pool of this.#pools.values()) pool.revoke(issuer, tokens)
  }

  /** Releases before this one that still serve sessions, with the number of sessions. */
  listKeptSessions(id: string): { deployment_id: string; sessions: number }[] {
    return this.#sessions.list(id)
  }

  /** Moves the sessions that the release kept to the next release. */
  releaseSessions(id: string): void {
    this.#pools.get(id)?.instances.releaseSessions()
  }

  /** Drains all servers when another daemon takes over. */
  async drainAll(): Promise<void> {
    await Promise.all([...this.#pools.keys()].map(id => this.drain(id)))
  }

  /** Removes a server immediately and closes its connections. */
  remove(id: string): Promise<void> {
    return this.#remove(id, pool => pool.remove())
  }

  /** Determines how handler modules are confined, so that `prepareModules` does not wait for it. */
  prepareSandbox(): Promise<void> {
    return prepareModuleSandbox()
  }

  /** Starts the first process for handler modules, so that `describe` does not wait for it. */
  async prepareModules(): Promise<void> {
    await this.prepareSandbox()
    this.#warmPools.sealed.prepare()
  }

  /**
   * Returns what a custom server defines. Loads it in a dedicated process that is stopped afterwards. Rejects with INVALID_MCP
   * when the server cannot be loaded, with the trace in `cause`. Rejects with TIMEOUT when loading takes longer than
   * `timeoutMs`, and with INTERRUPTED when the build or the daemon stops.
   */
  describe(tenant: Tenant, code: ServedCode, limits: DescribeLimits): Promise<DescribedServer> {
    if (this.#closed)
      return Promise.reject(new HostingError('UNAVAILABLE', 'The daemon is stopping. No build can start.'))
    const kind = processKindOf(code.artifact, () => isBorderless(tenant))
    const place = this.#placements.dedicated(tenant.id, { alone: true, kind })
    this.#describing.add(place)
    void place.host.ended.then(() => this.#describing.delete(place))
    return describeIn(place, { tenant, ...code }, limits)
  }

  has(id: string): boolean {
    return this.#pools.has(id)
  }

  report(id: string): ServedReport {
    return this.#get(id).report()
  }

  /** Running instances with their server's id. `since` (Unix ms): only those that may have logged since then. */
  running(since = 0): { id: string; instanceId: string }[] {
    return [...this.#pools].flatMap(([id, pool]) =>
      pool.writers(since).map(instanceId => ({ id, instanceId })),
    )
  }

  /** Makes an instance stop writing its log. Returns the function that resumes writing. */
  async holdLog(id: string, instanceId: string): Promise<() => void> {
    return (await this.#pools.get(id)?.holdLog(instanceId)) ?? (() => {})
  }

  /** Stops every process. Resolves when all have exited. */
  async close(): Promise<void> {
    this.#closed = true
    const removed = [...this.#pools.keys()].map(id => this.remove(id))
    // Stops the processes without waiting for the removals, because a hanging shared process would not confirm them.
    const spares = Object.values(this.#warmPools).map(pool => pool.close())
    const described = [...this.#describing].map(place => place.leave())
    await Promise.all([...removed, ...described, this.#shared.close(), ...spares])
    await Promise.all(this.#removals)
  }

  #get(id: string): Pool {
    const pool = this.#pools.get(id)
    if (!pool) throw new HostingError('NOT_FOUND', `"${id}" is not being served.`)
    return pool
  }

  async #remove(id: string, close: (pool: Pool) => Promise<void>): Promise<void> {
    const pool = this.#pools.get(id)
    if (!pool) return
    const closed = close(pool)
    this.#removals.add(closed)
    await closed
    this.#removals.delete(closed)
    if (this.#pools.get(id) !== pool) return // removed by another call, and perhaps added again
    this.#pools.delete(id)
    this.#shared.forget(id)
    this.#sessions.forget(id)
  }

  #lazyWarmPool(kind: ProcessKind, size: number): WarmPool {
    return new WarmPool({ size, startHost: () => this.#startHost(kind), afterFirstUse: true })
  }

  #startHost(kind: ProcessKind, settings: StartHostOptions = {}): Host {
    const id = createId('inst')
    const { memoryLimitMb = this.#options.memoryLimitMb ?? HEAP_MB, inspectPort } = settings
    const {
      instanceProgram: program,
      logsDir,
      hangTimeoutMs = 30_000,
      termination,
      egress,
      stores,
    } = this.#options
    const logPath = spareLogPath(logsDir, id)
    const host = new Host({
      id,
      kind,
      program,
      logPath,
      memoryLimitMb,
      inspectPort,
      // A process at a breakpoint does not answer.
      hangTimeoutMs: inspectPort === undefined ? hangTimeoutMs : MAX_PAUSE_MS,
      termination,
      egress,
      stores,
      peerPorts: this.#peerPorts,
    })
    void host.ended.then(() => rmSync(logPath, { force: true })) // unless the file was moved
    return host
  }
}
