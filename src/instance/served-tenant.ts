import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Announcement, LogLine, Tenant, TenantMetrics, ToInstance } from '../shared/instance-protocol.ts'
import type { WakeUp } from './asleep.ts'
import { header } from './http/headers.ts'
import { openLog } from './log/open-log.ts'
import type { TenantLog } from './log/tenant-log.ts'
import { RequestCounters } from './metrics.ts'
import type { PeerQuestion } from './peers/greeting.ts'
import { Siblings } from './peers/siblings.ts'
import type { PreparedServer } from './prepared-server.ts'
import { Announcements } from './protocol/announcements.ts'
import { EventStore } from './protocol/event-store.ts'
import { sessionInstance, sessionVersion } from './protocol/session-id.ts'
import { type Session, Sessions } from './protocol/sessions.ts'
import type { Guard } from './sign-in/guard.ts'

type DrainOrder = Extract<ToInstance, { type: 'drain' }>

/** Open event streams of one tenant; the next one is refused with 503. */
const MAX_STREAMS = 1000
/** Running requests of one tenant: those whose client went away go on in the legacy era, without an open stream. */
const MAX_RUNNING = 2000

export interface TenantEvents {
  /** It cannot go on. */
  onFailed?(message: string): void
  /** What serves it ended and is started anew. */
  onRestarting?(how: string): void
  /** The deployment's other instances are to know. */
  onNews?(announcement: Announcement): void
}

/** One deployment or preview in this process, with everything that lives as long as it does. */
export class ServedTenant {
  readonly config: Tenant
  readonly instanceId: string
  readonly server: PreparedServer
  readonly counters: RequestCounters
  readonly connections = new Set<Socket>()
  /** Streams without an end of their own, besides those of sessions: each is told when the tenant drains. */
  readonly endlessStreams = new Set<() => void>()
  /** Lets only requests with a token through; undefined where everybody may use the server. */
  guard: Guard | undefined
  /** While it sleeps: what takes requests that need more than its artifact. */
  wakeUp: WakeUp | undefined
  isDraining = false
  /** A newer build has the address: nothing new is answered from here. */
  isReplaced = false
  /** It drains and its last call was answered: its sessions are another instance's from now on. */
  hasLeft = false
  openStreams = 0
  /** So many of the next answers end their connections: other instances have room for them. */
  surplusConnections = 0
  readonly siblings: Siblings
  readonly #onChange: (tenant: ServedTenant) => void
  /** Draining, but for the sessions that began here. */
  #isKeeping = false
  // Only clients of the legacy era need these two.
  #sessions: Sessions | undefined
  #events: EventStore | undefined
  #log: TenantLog | undefined
  #announcements: Announcements | undefined
  #stateKey: Buffer | undefined

  constructor(
    config: Tenant,
    instanceId: string,
    server: PreparedServer,
    onChange: (tenant: ServedTenant) => void,
    { onFailed, onRestarting, onNews }: TenantEvents = {},
  ) {
    this.config = config
    this.instanceId = instanceId
    this.server = config.isPreview ? asReloadable(server) : server
    this.counters = new RequestCounters(name => isToolOf(server, name))
    this.#onChange = onChange
    this.siblings = new Siblings(this, config.hasSiblings ? onNews : undefined)
    server.attach?.({
      announce: list => this.announcements.listChanged(list),
      fail: message => onFailed?.(message),
      restarting: how => onRestarting?.(how),
      copy: line => this.#copy(line),
      resourceUpdated: uri => this.announcements.resourceUpdated(uri),
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
    this.#sessions.peerPort = this.siblings.port
    this.#sessions.version = versionOf(this.config)
    // A program over HTTP alone knows its sessions. What may ask its clients is asked where the session is (peers/).
    this.#sessions.news = this.server.forward ? undefined : this.siblings.news
    this.#sessions.areShared = !this.server.speaksUnasked
    this.#sessions.onSwept = () => this.changed()
    return this.#sessions
  }

  get events(): EventStore {
    this.#events ??= new EventStore()
    return this.#events
  }

  get announcements(): Announcements {
    this.#announcements ??= new Announcements(this)
    return this.#announcements
  }

  /** What `requestState` is signed with; the same in all instances of one deployment. */
  get stateKey(): Buffer {
    this.#stateKey ??= Buffer.from(this.config.stateKey, 'base64')
    return this.#stateKey
  }

  get openSessions(): Iterable<Session> {
    return this.#sessions?.all() ?? []
  }

  /** Whether the connection of the answer that is about to be sent is to end with it. */
  endsConnection(): boolean {
    if (this.isLeaving) return true
    if (this.surplusConnections === 0) return false
    this.surplusConnections--
    return true
  }

  get hasRoomForStream(): boolean {
    return this.openStreams < MAX_STREAMS && this.counters.active < MAX_RUNNING
  }

  /** It drains and has no session left to serve. */
  get isLeaving(): boolean {
    return this.isDraining && !this.keepsSessions
  }

  get keepsSessions(): boolean {
    return this.#isKeeping && (this.#sessions?.count ?? 0) > 0
  }

  /** Whether the request belongs to a session that stays here. */
  keepsSessionOf(request: IncomingMessage): boolean {
    if (!this.keepsSessions) return false
    const id = header(request, 'mcp-session-id')
    return id !== undefined && this.#keeps(id)
  }

  /** Whether a request of the session that another instance brings is answered here. */
  takesFromPeer({ session, isOrphan }: PeerQuestion): boolean {
    if (!this.isReplaced) return !this.hasLeft
    if (this.keepsSessions) return isOrphan ? this.#isOurs(session) : this.#keeps(session)
    return this.#sessions?.isAtWork(session) ?? false
  }

  /** Another instance of the deployment has this to say. */
  hearAnnounced({ lists, uris, used, ended }: Announcement): void {
    if (lists.length + uris.length > 0) this.announcements.hear({ lists, uris })
    if (used.length + ended.length === 0) return
    this.sessions.hear({ used, ended })
    for (const id of ended) this.#events?.forgetSession(id)
    this.changed()
  }

  /** Something that the daemon counts is different now. */
  changed(): void {
    if (this.isDraining) this.#leavePeers()
    this.#onChange(this)
  }

  /** See `drain` of `ToInstance`. */
  startDraining({ changed, sessionIdleMs, siblings = [] }: Omit<DrainOrder, 'type' | 'tenantId'>): void {
    this.isReplaced = changed !== undefined
    this.#isKeeping = sessionIdleMs !== undefined
    if (sessionIdleMs !== undefined) this.#keepOwnSessions(sessionIdleMs, siblings)
    this.announcements.replaced(changed ?? [], { toSessions: !this.#isKeeping })
    this.isDraining = true
    this.#leavePeers()
    for (const end of [...this.endlessStreams]) end()
    if (!this.keepsSessions) this.#sessions?.endStreams()
  }

  /**
   * One that another release began is the new one's, as its id says. Instances of a declared server all answer for a
   * session; the one that began it is asked from now on, so the others need not stay, unless that one is gone.
   */
  #keepOwnSessions(idleMs: number, siblings: readonly string[]): void {
    const isElsewhere = (id: string) => !this.server.speaksUnasked && siblings.includes(sessionInstance(id))
    this.#sessions?.keep(({ id }) => this.#isOurs(id) && (this.#began(id) || !isElsewhere(id)), idleMs)
  }

  #keeps(sessionId: string): boolean {
    return this.#isOurs(sessionId) && (this.#began(sessionId) || this.sessions.has(sessionId))
  }

  #isOurs(sessionId: string): boolean {
    return sessionVersion(sessionId) === versionOf(this.config)
  }

  #began(sessionId: string): boolean {
    return sessionInstance(sessionId) === this.instanceId
  }

  /** Sessions are taken over from now on, unless a call waits for what its client sends to another instance. */
  #leavePeers(): void {
    if (this.counters.active > 0 || this.keepsSessions) return
    if (!this.server.speaksUnasked && !this.#isKeeping) return
    this.hasLeft = true
    this.siblings.leave()
  }

  #copy(line: LogLine): void {
    this.log.copy(line)
    if (line.stream !== 'mcp' || typeof line.ms !== 'number') return
    this.counters.count(line.method ?? '', line.tool, line.ms, line.outcome === 'error')
    this.changed()
  }

  metrics(): TenantMetrics {
    return this.counters.report(this.config.id, this.connections.size, this.#sessions?.count ?? 0)
  }

  /** Cuts every connection and frees what the tenant holds; resolves when its log is written. */
  async close(): Promise<void> {
    for (const socket of this.connections) socket.destroy()
    this.#sessions?.close()
    this.siblings.leave()
    await this.server.close()
    await this.#log?.close()
  }
}

/** What a session id names; nothing for previews, whose sessions go on with the next build. */
function versionOf({ id, isPreview }: Tenant): string | undefined {
  // Beside itself a tenant has a longer id in its process (src/daemon/runtime/shared-hosts.ts).
  return isPreview ? undefined : id.split('/', 1)[0]
}

/** A preview's lists change with each build, whatever the server says of itself. */
function asReloadable(server: PreparedServer): PreparedServer {
  const { tools, resources, prompts, ...others } = server.capabilities
  const listChanged = true
  server.speaksUnasked = true
  server.capabilities = {
    ...others,
    ...(tools && { tools: { ...tools, listChanged } }),
    ...(resources && { resources: { ...resources, listChanged } }),
    ...(prompts && { prompts: { ...prompts, listChanged } }),
  }
  return server
}

function isToolOf(server: PreparedServer, name: string): boolean {
  return server.listsTool ? server.listsTool(name) : server.findTool(name) !== undefined
}
