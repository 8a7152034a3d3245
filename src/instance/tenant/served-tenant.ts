import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type {
  Announcement,
  Tenant,
  TenantMetrics,
  ToInstance,
} from '../../shared/instances/instance-protocol.ts'
import type { LogLine } from '../../shared/instances/log-line.ts'
import type { EndedSessions } from '../../shared/instances/session-reports.ts'
import { header } from '../http/headers.ts'
import type { Guard, HttpExchange, WakeUp } from '../http/http-exchange.ts'
import { openLog } from '../log/open-log.ts'
import type { TenantLog } from '../log/tenant-log.ts'
import type { PeerQuestion } from '../peers/handshake.ts'
import { Peers } from '../peers/peers.ts'
import { ChangeNotifier, type Listener } from '../protocol/change-notifier.ts'
import { isMissingMethod } from '../protocol/json-rpc.ts'
import { EventStore } from '../protocol/legacy/event-store.ts'
import type { Session } from '../protocol/legacy/session.ts'
import { sessionInstance, sessionVersion } from '../protocol/legacy/session-id.ts'
import { Sessions } from '../protocol/legacy/sessions.ts'
import type { PreparedServer } from '../server/prepared-server.ts'
import type { StateChannel } from '../state/state-channel.ts'
import { RequestCounters } from './request-counters.ts'

type DrainMessage = Extract<ToInstance, { type: 'drain' }>

/** Maximum number of open event streams per tenant. Additional ones get 503. */
const MAX_STREAMS = 1000
/** No stream is opened while this many requests run. A legacy request keeps running after its client disconnects. */
const MAX_RUNNING = 2000

export interface TenantEvents {
  /** Called when the server cannot continue. */
  onFailed?(message: string): void
  /** Called when the serving process has exited and is being restarted. */
  onRestarting?(how: string): void
  /** Sends an announcement to the deployment's other instances. */
  onAnnouncement?(announcement: Announcement): void
  /** Store of the handlers. */
  state?: StateChannel | undefined
}

/** An HTTP exchange of the protocol layer. */
export type TenantExchange = HttpExchange & { tenant: ServedTenant }

/** One deployment or preview in this process, with everything that shares its lifetime. */
export class ServedTenant {
  readonly config: Tenant
  readonly instanceId: string
  readonly server: PreparedServer
  readonly counters: RequestCounters
  readonly connections = new Set<Socket>()
  /** Functions that close subscription streams and forwarded GET streams. Called when the tenant drains. */
  readonly endlessStreams = new Set<() => void>()
  /** Admits only requests with a valid token. Undefined when the server is public. */
  guard: Guard | undefined
  /** Handles requests that the artifact cannot answer. Undefined for a server that was placed here awake. */
  wakeUp: WakeUp | undefined
  isDraining = false
  /** True when a newer build has the address and answers new requests. */
  isReplaced = false
  /** True after this draining instance has released its sessions. They then belong to another instance. */
  hasReleasedSessions = false
  openStreams = 0
  /** Number of answers that must still close their connection, because other instances have capacity. */
  surplusConnections = 0
  readonly peers: Peers
  /** Store of the handlers. */
  readonly state: StateChannel | undefined
  readonly #onChange: (tenant: ServedTenant) => void
  /** True when draining everything except the sessions of this release. */
  #isKeeping = false
  // Created on first use, because only legacy clients need sessions and their events.
  #sessions: Sessions | undefined
  #events: EventStore | undefined
  #log: TenantLog | undefined
  #changeNotifier: ChangeNotifier | undefined
  #stateKey: Buffer | undefined

  constructor(
    config: Tenant,
    instanceId: string,
    server: PreparedServer,
    onChange: (tenant: ServedTenant) => void,
    { onFailed, onRestarting, onAnnouncement, state }: TenantEvents = {},
  ) {
    this.config = config
    this.instanceId = instanceId
    this.server = config.isPreview ? asReloadable(server) : server
    this.counters = new RequestCounters(name => hasTool(server, name))
    this.#onChange = onChange
    this.state = state
    this.peers = new Peers(this, config.hasSiblings ? onAnnouncement : undefined)
    server.attach?.({
      state,
      announce: list => this.changeNotifier.listChanged(list),
      fail: message => onFailed?.(message),
      restarting: how => onRestarting?.(how),
      copy: line => this.#copy(line),
      resourceUpdated: uri => this.changeNotifier.resourceUpdated(uri),
      log: (level, message, stream) => this.log.server(level, message, stream),
    })
  }

  get log(): TenantLog {
    this.#log ??= openLog(this.config)
    return this.#log
  }

  get sessions(): Sessions {
    if (this.#sessions) return this.#sessions
    this.#sessions = new Sessions(this.config.stateKey, this.instanceId)
    this.#sessions.peerPort = this.peers.port
    this.#sessions.version = versionOf(this.config)
    // Sessions of an HTTP program exist only in the program. Servers that ask clients keep each session on one instance (peers/).
    this.#sessions.announcer = this.server.forward ? undefined : this.peers.announcer
    this.#sessions.areShared = !this.server.sendsServerRequests
    this.#sessions.onSwept = () => this.changed()
    this.#sessions.endedByApi = this.config.endedSessions
    return this.#sessions
  }

  get events(): EventStore {
    this.#events ??= new EventStore()
    return this.#events
  }

  get changeNotifier(): ChangeNotifier {
    this.#changeNotifier ??= new ChangeNotifier(this)
    return this.#changeNotifier
  }

  /** Key that signs `requestState`, shared by all instances of one address. */
  get stateKey(): Buffer {
    this.#stateKey ??= Buffer.from(this.config.stateKey, 'base64')
    return this.#stateKey
  }

  get openSessions(): Iterable<Session> {
    return this.#sessions?.all() ?? []
  }

  /** Open subscription streams of modern clients. */
  get listeners(): Iterable<Listener> {
    return this.#changeNotifier?.listeners ?? []
  }

  get endedSessions(): EndedSessions | undefined {
    return this.config.endedSessions
  }

  set endedSessions(ended: EndedSessions) {
    this.config.endedSessions = ended
    if (this.#sessions) this.#sessions.endedByApi = ended
  }

  /** True when the next answer must close its connection. Decrements `surplusConnections`. */
  shouldCloseConnection(): boolean {
    if (this.closesConnections) return true
    if (this.surplusConnections === 0) return false
    this.surplusConnections--
    return true
  }

  get hasRoomForStream(): boolean {
    return this.openStreams < MAX_STREAMS && this.counters.active < MAX_RUNNING
  }

  /** True when draining and no sessions are left to serve. */
  get closesConnections(): boolean {
    return this.isDraining && !this.keepsSessions
  }

  get keepsSessions(): boolean {
    return this.#isKeeping && (this.#sessions?.count ?? 0) > 0
  }

  /** True for requests in a session that stays here. */
  keepsSessionOf(request: IncomingMessage): boolean {
    if (!this.keepsSessions) return false
    const id = header(request, 'mcp-session-id')
    return id !== undefined && this.#keeps(id)
  }

  /** True when this instance answers a session's request that another instance relays. */
  acceptsFromPeer({ session, isOrphan }: PeerQuestion): boolean {
    if (!this.isReplaced) return !this.hasReleasedSessions
    if (this.keepsSessions) return isOrphan ? this.#isOurs(session) : this.#keeps(session)
    return this.#sessions?.isBusy(session) ?? false
  }

  /** Applies an announcement from another instance. */
  receiveAnnouncement({ lists, uris, used, ended }: Announcement): void {
    if (lists.length + uris.length > 0) this.changeNotifier.forward({ lists, uris })
    if (used.length + ended.length === 0) return
    this.sessions.applyAnnouncement({ used, ended })
    for (const id of ended) this.#events?.forgetSession(id)
    this.changed()
  }

  /** Must be called when a figure that the daemon receives changes. */
  changed(): void {
    if (this.isDraining) this.#releaseSessions()
    this.#onChange(this)
  }

  /** See `drain` of `ToInstance`. */
  startDraining({ changed, sessionIdleMs, siblings = [] }: Omit<DrainMessage, 'type' | 'tenantId'>): void {
    this.isReplaced = changed !== undefined
    this.#isKeeping = sessionIdleMs !== undefined
    if (sessionIdleMs !== undefined) this.#keepOwnSessions(sessionIdleMs, siblings)
    this.changeNotifier.replaced(changed ?? [], { toSessions: !this.#isKeeping })
    this.isDraining = true
    this.#releaseSessions()
    for (const end of [...this.endlessStreams]) end()
    if (!this.keepsSessions) this.#sessions?.endStreams()
  }

  /**
   * Keeps the sessions of this release. Any instance of a declared server may hold a session, so only the instance that started
   * the session keeps it. If that instance has stopped, the other instances keep it.
   */
  #keepOwnSessions(idleMs: number, siblings: readonly string[]): void {
    const isElsewhere = (id: string) =>
      !this.server.sendsServerRequests && siblings.includes(sessionInstance(id))
    this.#sessions?.keep(
      ({ id }) => this.#isOurs(id) && (this.#wasStartedHere(id) || !isElsewhere(id)),
      idleMs,
    )
  }

  #keeps(sessionId: string): boolean {
    return this.#isOurs(sessionId) && (this.#wasStartedHere(sessionId) || this.sessions.has(sessionId))
  }

  #isOurs(sessionId: string): boolean {
    return sessionVersion(sessionId) === versionOf(this.config)
  }

  #wasStartedHere(sessionId: string): boolean {
    return sessionInstance(sessionId) === this.instanceId
  }

  /** Releases the sessions once no call is running. Until then, other instances relay clients' answers to this one. */
  #releaseSessions(): void {
    if (this.counters.active > 0 || this.keepsSessions) return
    if (!this.server.sendsServerRequests && !this.#isKeeping) return
    this.hasReleasedSessions = true
    this.peers.close()
  }

  #copy(line: LogLine): void {
    this.log.copy(line)
    if (line.stream !== 'mcp' || typeof line.ms !== 'number') return
    const { method = '', tool, ms, outcome, code } = line
    this.counters.count(method, tool, ms, outcome !== 'ok' && !isMissingMethod(method, code))
    this.changed()
  }

  metrics(): TenantMetrics {
    return this.counters.report(this.config.id, this.connections.size, this.#sessions?.count ?? 0)
  }

  /** Closes every connection and frees the tenant's resources. Resolves when its log is written. */
  async close(): Promise<void> {
    for (const socket of this.connections) socket.destroy()
    this.#sessions?.close()
    this.peers.close()
    await this.server.close()
    await this.#log?.close()
  }
}

/** Deployment that session ids name. Undefined for previews, whose sessions continue in the next build. */
function versionOf({ id, isPreview }: Tenant): string | undefined {
  // A second tenant of the same deployment in one process has a longer id (src/daemon/runtime/placement/shared-hosts.ts).
  return isPreview ? undefined : id.split('/', 1)[0]
}

/** Declares that lists may change. A preview's lists change with each build, whatever the server declares itself. */
function asReloadable(server: PreparedServer): PreparedServer {
  const { tools, resources, prompts, ...others } = server.capabilities
  const listChanged = true
  server.sendsServerRequests = true
  server.capabilities = {
    ...others,
    ...(tools && { tools: { ...tools, listChanged } }),
    ...(resources && { resources: { ...resources, listChanged } }),
    ...(prompts && { prompts: { ...prompts, listChanged } }),
  }
  return server
}

function hasTool(server: PreparedServer, name: string): boolean {
  return server.listsTool ? server.listsTool(name) : server.findTool(name) !== undefined
}
