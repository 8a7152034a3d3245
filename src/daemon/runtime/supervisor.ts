import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { Artifact, Described } from '../../shared/artifact.ts'
import { HostingError } from '../../shared/errors.ts'
import type { InstanceReport } from '../../shared/health-reports.ts'
import { createId } from '../../shared/ids.ts'
import type { LogLine, Tenant, TenantAuth } from '../../shared/instance-protocol.ts'
import { isBorderless } from '../../shared/network/network-policy.ts'
import type { SeriesCounts } from '../../shared/request-tally.ts'
import type { RevokedTokens } from '../../shared/revoked-tokens.ts'
import type { ProcessKind } from '../engine/process-engine.ts'
import type { TerminationDelays } from '../engine/termination.ts'
import { dedicatedPlacement } from './dedicated-hosts.ts'
import { type DescribeLimits, describeIn } from './describe.ts'
import { Host, type ServedCode } from './host.ts'
import { removeLeftoverLogs, spareLogPath } from './host-logs.ts'
import type { Leaving } from './instance-set.ts'
import type { LendableSocket, SocketHandle } from './loan.ts'
import type { NamedRequest } from './named-request.ts'
import { PeerPorts } from './peer-ports.ts'
import { type Place, type Placement, processKindOf } from './placement.ts'
import { Pool, type PoolOptions } from './pool.ts'
import { POOL_LIMITS, type PoolLimits } from './pool-limits.ts'
import { SharedHosts } from './shared-hosts.ts'
import { StayingSessions } from './staying-sessions.ts'
import { refuseConnection } from './unavailable.ts'
import { WarmPool, type WarmPools } from './warm-pool.ts'

const HEAP_MB = 256

/** A deployment or a preview as the runtime knows it. */
export interface Served {
  /** Deployment id, or the `mcp_id` of a preview. */
  id: string
  serverName: string
  /** Only requests with a token are served; what is revoked meanwhile is added to it. */
  auth?: TenantAuth | undefined
  /** `dedicated`: processes of its own; `shared`: one tenant among many in a host process (no user code runs). */
  placement: 'dedicated' | 'shared'
  scaling: { min: number; max: number }
  /** Sleep after so many milliseconds without a connection or request; null: never. */
  idleMs: number | null
  /** A dedicated instance that holds more is replaced, in MB; without it none is. */
  memoryMb?: number | undefined
  /** What its process may hold, in MB, where somebody asked for it; else what all may, see `memoryLimitMb`. */
  processMb?: number | undefined
  /** While it sleeps its health and lists are answered out of its artifact, and do not wake it. */
  answersAsleep?: boolean
  /** What its process is to know. Made when an instance is started, not kept: thousands sleep, and it has secrets. */
  loadTenant(): Tenant
  /** Read when an instance is started, not kept. */
  loadArtifact(): Artifact
  /** Text of a handler module's bundle, read with such an artifact. */
  loadBundle?(): string | undefined
  /** It runs in containers, so none of its code in our processes. */
  isContained?: boolean
  /** What an instance needs besides, made ready before each start; rejects with the reason when that cannot be. */
  provide?(): Promise<Provided>
}

export type Provided = Pick<Tenant, 'container'>

export interface ServedReport {
  instances: InstanceReport[]
  /** Since it is served here. */
  requests: { total: number; errors: number }
}

export interface SupervisorOptions {
  /** The bundled instance program. */
  instanceProgram: string
  logsDir: string
  /** Processes kept ready for the next start, default 1. */
  warmSpares?: number
  /** JavaScript heap of one process, default 256. */
  memoryLimitMb?: number
  /** Tenants of one shared process, default 3500. */
  tenantsPerHost?: number
  limits?: Partial<PoolLimits>
  /** A process that leaves a connection alone for so long hangs and is killed; default 30 s. */
  patienceMs?: number
  /** Called before a process with its own network namespace is ready, see `ConfinedHostOptions`. */
  onEgressListener?(processId: string, listener: SocketHandle): void
  /** A process is about to run code of the tenant. */
  onAssigned?(processId: string, tenant: Tenant): void
  /** A process that may have handed over an egress listener has ended. */
  onProcessEnded?(processId: string): void
  /** How long a process may take to end. */
  termination?: TerminationDelays
  /** It ran, or was woken, and cannot any more; a failure of `start` itself is told by its rejection alone. */
  onFailed(id: string, error: Error): void
  /** Requests that an instance has answered since it last told. */
  onTraffic?(id: string, series: SeriesCounts[]): void
  /** What happens to its instances, as lines for its log. */
  onEvent?(id: string, line: LogLine): void
}

/** Keeps everything served as it should be: running, asleep, draining or gone. */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #pools = new Map<string, Pool>()
  readonly #leaving = new Set<Promise<void>>()
  readonly #describing = new Set<Place>()
  readonly #warmPools: WarmPools
  readonly #shared: SharedHosts
  readonly #peerPorts = new PeerPorts()
  readonly #sessions = new StayingSessions(this.#pools)
  readonly #placements: Record<Served['placement'], Placement>
  readonly #poolOptions: PoolOptions
  #closed = false

  constructor(options: SupervisorOptions) {
    this.#options = options
    const { logsDir, warmSpares = 1, tenantsPerHost = 3500, memoryLimitMb = HEAP_MB } = options
    removeLeftoverLogs(logsDir)
    const warmPools: WarmPools = {
      open: new WarmPool({ size: warmSpares, startHost: () => this.#startHost('open') }),
      // A build needs two, one after the other: the code is described in one process and served by another.
      sealed: this.#lateWarmPool('sealed', 2 * warmSpares),
      sealedOpenNetwork: this.#lateWarmPool('sealedOpenNetwork', warmSpares),
      bridge: this.#lateWarmPool('bridge', warmSpares),
    }
    this.#warmPools = warmPools
    this.#shared = new SharedHosts({ warmPool: warmPools.open, logsDir, tenantsPerHost })
    this.#placements = {
      dedicated: dedicatedPlacement({
        warmPools,
        logsDir,
        spareMb: 2 * memoryLimitMb,
        startHost: (kind, limitMb) => this.#startHost(kind, limitMb),
      }),
      shared: (servedId, options) => this.#shared.place(servedId, options),
    }
    this.#poolOptions = {
      placements: this.#placements,
      limits: { ...POOL_LIMITS, ...options.limits },
      onFailed: options.onFailed,
      onTraffic: options.onTraffic ?? (() => {}),
      onEvent: options.onEvent ?? (() => {}),
    }
  }

  /** Makes it known and leaves it asleep: the first connection or `start` wakes it. Throws CONFLICT for a known id. */
  add(served: Served): void {
    const { id } = served
    if (this.#closed) throw new HostingError('UNAVAILABLE', 'The daemon is stopping; it serves nothing new.')
    if (this.#pools.has(id)) throw new HostingError('CONFLICT', `"${id}" is served already.`)
    this.#pools.set(id, new Pool(served, this.#poolOptions))
  }

  /** Resolves when its least number of instances is ready; rejects with the reason, its last output in `details`. */
  start(id: string): Promise<void> {
    return this.#get(id).start()
  }

  /**
   * Puts new instances in the place of all that run, without a failed request. When one does not start it rejects with
   * the reason, and the old ones serve on. What is asleep is woken.
   */
  renew(id: string): Promise<void> {
    return this.#get(id).renew()
  }

  /** Takes an accepted, unread connection (or one of which `named` was read): every one is answered, with 503 if need be. */
  connect(id: string, socket: Socket, named?: NamedRequest): void {
    const pool = this.#pools.get(id)
    if (pool) pool.connect(socket, named)
    else refuseConnection(socket, { message: 'This server is not running.', retryAfterSeconds: 5 }, named)
  }

  /** Lets the instance accept by itself what comes in a rush, where there is only one, until that is over. */
  lend(id: string, socket: LendableSocket): void {
    this.#pools.get(id)?.lend(socket)
  }

  /**
   * No new connections; resolves when the open ones have ended, or were cut after a limit, and it is removed.
   * `leaving.order.changed`: another id has its address from now on, and these lists are others there; clients that listen
   * are told. With `sessionIdleMs` its sessions stay, see `handSessionsOn`.
   */
  drain(id: string, leaving?: Leaving): Promise<void> {
    return this.#leave(id, pool => pool.drain(leaving))
  }

  /**
   * Before connections go to `to` instead of `from`: from now on its instances bring requests of sessions that began in
   * `from`, or in a release before that, to where they began. Of very many releases with sessions the oldest lose theirs.
   */
  handSessionsOn(from: string, to: string): Promise<void> {
    return this.#sessions.handOn(from, to)
  }

  /** While a release starts: its instances are asked then, and `handSessionsOn` finds their answers. */
  prepareToHandOn(from: string): void {
    void this.#pools.get(from)?.keepSessions()
  }

  /** Nothing that is served takes these tokens of the issuer any more, releases that leave among it. */
  revoke(issuer: string, tokens: RevokedTokens): void {
    for (const pool of this.#pools.values()) pool.revoke(issuer, tokens)
  }

  /** Releases before it whose sessions stay there, with how many have been told of. */
  stayingSessions(id: string): { deployment_id: string; sessions: number }[] {
    return this.#sessions.list(id)
  }

  /** Sessions that stayed there are the next release's from now on. */
  letSessionsGo(id: string): void {
    this.#pools.get(id)?.staying.letSessionsGo()
  }

  /** All that is served: see `drain`. Another daemon serves it from now on. */
  async drainAll(): Promise<void> {
    await Promise.all([...this.#pools.keys()].map(id => this.drain(id)))
  }

  /** Removes it at once, cutting what is open. */
  remove(id: string): Promise<void> {
    return this.#leave(id, pool => pool.remove())
  }

  /**
   * What a custom server defines, told by a process of its own that ends then. Throws INVALID_MCP when it cannot be
   * loaded, with the trace in `cause`, and TIMEOUT when that takes longer than `timeoutMs`.
   */
  describe(tenant: Tenant, code: ServedCode, limits: DescribeLimits): Promise<Described> {
    if (this.#closed)
      return Promise.reject(new HostingError('UNAVAILABLE', 'The daemon is stopping; it builds nothing new.'))
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

  /** Every running instance with the deployment or preview it serves; `since` (Unix ms): that may have written since then. */
  running(since = 0): { id: string; instanceId: string }[] {
    return [...this.#pools].flatMap(([id, pool]) =>
      pool.writers(since).map(instanceId => ({ id, instanceId })),
    )
  }

  /** Makes an instance stop writing its log; gives the function that lets it go on (for `LogStore.rotateWhenDue`). */
  async holdLog(id: string, instanceId: string): Promise<() => void> {
    return (await this.#pools.get(id)?.holdLog(instanceId)) ?? (() => {})
  }

  /** Ends every process; resolves when all have ended. */
  async close(): Promise<void> {
    this.#closed = true
    const removed = [...this.#pools.keys()].map(id => this.remove(id))
    // A shared process that hangs would answer none of its tenants' goodbyes.
    const spares = Object.values(this.#warmPools).map(pool => pool.close())
    const described = [...this.#describing].map(place => place.leave())
    await Promise.all([...removed, ...described, this.#shared.close(), ...spares])
    await Promise.all(this.#leaving)
  }

  #get(id: string): Pool {
    const pool = this.#pools.get(id)
    if (!pool) throw new HostingError('NOT_FOUND', `"${id}" is not served here.`)
    return pool
  }

  async #leave(id: string, end: (pool: Pool) => Promise<void>): Promise<void> {
    const pool = this.#pools.get(id)
    if (!pool) return
    const left = end(pool)
    this.#leaving.add(left)
    await left
    this.#leaving.delete(left)
    if (this.#pools.get(id) !== pool) return // removed meanwhile, and perhaps added anew
    this.#pools.delete(id)
    this.#shared.forget(id)
    this.#sessions.forget(id)
  }

  #lateWarmPool(kind: ProcessKind, size: number): WarmPool {
    return new WarmPool({ size, startHost: () => this.#startHost(kind), afterFirstUse: true })
  }

  #startHost(kind: ProcessKind, memoryLimitMb = this.#options.memoryLimitMb ?? HEAP_MB): Host {
    const id = createId('inst')
    const { instanceProgram: program, logsDir, patienceMs = 30_000, termination } = this.#options
    const { onEgressListener, onAssigned, onProcessEnded } = this.#options
    const logPath = spareLogPath(logsDir, id)
    const host = new Host({
      id,
      kind,
      program,
      logPath,
      memoryLimitMb,
      patienceMs,
      termination,
      peerPorts: this.#peerPorts,
      ...(onEgressListener && { onEgressListener: listener => onEgressListener(id, listener) }),
      ...(onAssigned && { onAssigned: tenant => onAssigned(id, tenant) }),
    })
    void host.ended.then(() => {
      rmSync(logPath, { force: true }) // unless the file went along with its work
      onProcessEnded?.(id)
    })
    return host
  }
}
