import type { LogLevel } from '../../shared/definitions.ts'
import type { Announcement } from '../../shared/instance-protocol.ts'
import { sessionLabel } from '../../shared/session-label.ts'
import type { SseResponse } from '../http/sse-response.ts'
import type { SiblingNews } from '../peers/sibling-news.ts'
import type { CallerSession, ClientFacts } from '../prepared-server.ts'
import { capabilitiesOf, capabilityBits } from './capability-bits.ts'
import type { ResumableStream } from './event-store.ts'
import type { Questions } from './questions.ts'
import { LATEST_LEGACY, type LegacyRevision } from './revisions.ts'
import { RunningRequests } from './running-requests.ts'
import { createSessionId, readSessionId, sessionKey } from './session-id.ts'

/** A client of the legacy era between `initialize` and DELETE. */
export interface Session {
  id: string
  /** The user that it belongs to, where users sign in. */
  owner: string | undefined
  /** Tells it from others in the log, where the whole id would let a reader take it over. */
  label: string
  revision: LegacyRevision
  /** Undefined until `logging/setLevel`: everything is sent. */
  logLevel: LogLevel | undefined
  lastSeenAt: number
  /** When it was last heard that another instance serves it as well; undefined where none does. */
  elsewhereAt: number | undefined
  running: RunningRequests
  /** The GET stream. */
  stream: SseResponse | undefined
  /** What goes over the GET stream and waits for one. */
  outbox: ResumableStream | undefined
  client: ClientFacts
  /** Aborted when the session is over; made for who asks. */
  ended: AbortController | undefined
  /** What the server asked its client. */
  questions: Questions | undefined
  /** The session as handlers see it. */
  caller: CallerSession | undefined
  /** URIs whose updates it wants to hear of. */
  subscriptions: Set<string> | undefined
}

/** What else is known of a session that begins. */
interface NewSession {
  facts?: Omit<ClientFacts, 'protocolVersion'>
  owner?: string | undefined
  /** What a program calls it that makes its own ids. */
  inner?: string
}

export interface SessionLimits {
  /** Above it the session that was idle longest is forgotten. */
  maxSessions: number
  idleMs: number
  /** A session this old is no longer taken over from another instance. */
  maxAgeMs: number
}

const SESSION_LIMITS: SessionLimits = {
  maxSessions: 10_000,
  idleMs: 30 * 60_000,
  maxAgeMs: 24 * 3_600_000,
}
const REMEMBERED_ENDINGS = 10_000
/** Within the time in which a session may be idle. */
const LOOKS = 4
const UNKNOWN = { capabilities: Object.freeze({}), info: undefined }

export class Sessions {
  readonly #key: Buffer
  readonly #instanceId: string
  #limits: SessionLimits
  readonly #open = new Map<string, Session>()
  /** Their clients have ended them, here or at another instance, or their time was over: not to be taken over again. */
  readonly #ended = new Set<string>()
  #sweep: NodeJS.Timeout | undefined
  /** Where other instances bring requests of these sessions. */
  peerPort: number | undefined
  /** What the ids name as the deployment that began the sessions. */
  version: string | undefined
  /** For the deployment's other instances, where there may be some. */
  news: SiblingNews | undefined
  /** Several instances may serve one at a time. */
  areShared = false
  /** Sessions' time was over. */
  onSwept: (() => void) | undefined

  /** `stateKey`: base 64, the deployment's. */
  constructor(stateKey: string, instanceId: string, limits: SessionLimits = SESSION_LIMITS) {
    this.#key = Buffer.from(stateKey, 'base64')
    this.#instanceId = instanceId
    this.#limits = limits
  }

  get count(): number {
    return this.#open.size
  }

  create(
    revision: LegacyRevision = LATEST_LEGACY,
    { facts = UNKNOWN, owner, inner }: NewSession = {},
  ): Session {
    const claim = {
      revision,
      issuedAt: Math.floor(Date.now() / 1000),
      capabilityBits: capabilityBits(facts.capabilities),
      peerPort: this.peerPort,
      version: this.version,
      inner,
    }
    const id = createSessionId(this.#instanceId, claim, sessionKey(this.#key, owner))
    return this.#add(id, owner, { protocolVersion: revision, ...facts })
  }

  /** Whether it is open here already. */
  has(id: string): boolean {
    return this.#open.has(id)
  }

  /** Whether a call of it is under way here, which may wait for what its client sends. */
  isAtWork(id: string): boolean {
    return (this.#open.get(id)?.running.size ?? 0) > 0
  }

  all(): Iterable<Session> {
    return this.#open.values()
  }

  /** The session of that id, taken over when another instance of the deployment began it; undefined when it is over, or another user's. */
  find(id: string, owner?: string): Session | undefined {
    const session = this.#open.get(id)
    if (!session) return this.#takeOver(id, owner)
    if (session.owner !== owner) return undefined
    session.lastSeenAt = Date.now()
    return session
  }

  /** Here and at the other instances, for good. */
  end(id: string): void {
    this.#end(id)
    this.news?.session('ended', id)
  }

  /** What another instance said of its sessions. */
  hear({ used, ended }: Pick<Announcement, 'used' | 'ended'>): void {
    for (const id of used) {
      const session = this.#open.get(id)
      if (session) session.elsewhereAt = Date.now()
    }
    for (const id of ended) this.#end(id)
  }

  /** Forgets the others, unless they are at work; from now on a session that nobody uses for so long is over. */
  keep(isWanted: (session: Session) => boolean, idleMs: number): void {
    for (const session of this.#open.values()) {
      session.elsewhereAt = undefined
      if (!isWanted(session) && session.running.size === 0) this.#forget(session)
    }
    this.#limits = { ...this.#limits, idleMs: Math.min(idleMs, this.#limits.idleMs) }
    clearTimeout(this.#sweep)
    this.#sweep = this.#open.size > 0 ? this.#armSweep() : undefined
  }

  /** Ends every GET stream; their clients reconnect elsewhere. */
  endStreams(): void {
    for (const session of this.#open.values()) session.stream?.end()
  }

  close(): void {
    clearTimeout(this.#sweep)
    for (const session of this.#open.values()) this.#forget(session)
  }

  #takeOver(id: string, owner: string | undefined): Session | undefined {
    if (this.#ended.has(id)) return undefined
    const claim = readSessionId(id, sessionKey(this.#key, owner))
    if (!claim || claim.issuedAt * 1000 + this.#limits.maxAgeMs < Date.now()) return undefined
    const capabilities = capabilitiesOf(claim.capabilityBits)
    const session = this.#add(id, owner, { protocolVersion: claim.revision, capabilities, info: undefined })
    if (this.news && this.areShared) {
      session.elsewhereAt = Date.now()
      this.news.session('used', id)
    }
    return session
  }

  #end(id: string): void {
    const session = this.#open.get(id)
    if (session) this.#forget(session)
    this.#ended.add(id)
    if (this.#ended.size > REMEMBERED_ENDINGS) this.#ended.delete(first(this.#ended)!)
  }

  #add(id: string, owner: string | undefined, client: ClientFacts): Session {
    if (this.#open.size >= this.#limits.maxSessions) this.#forget(this.#idlest())
    const session: Session = {
      id,
      owner,
      label: sessionLabel(id),
      revision: client.protocolVersion as LegacyRevision,
      logLevel: undefined,
      lastSeenAt: Date.now(),
      elsewhereAt: undefined,
      running: new RunningRequests(),
      stream: undefined,
      outbox: undefined,
      client,
      ended: undefined,
      questions: undefined,
      caller: undefined,
      subscriptions: undefined,
    }
    this.#open.set(id, session)
    this.#sweep ??= this.#armSweep()
    return session
  }

  #forget(session: Session): void {
    this.#open.delete(session.id)
    session.stream?.end()
    session.running.cancelAll()
    session.questions?.close()
    session.ended?.abort()
  }

  #idlest(): Session {
    let idlest: Session | undefined
    for (const session of this.#open.values())
      if (!idlest || session.lastSeenAt < idlest.lastSeenAt) idlest = session
    return idlest!
  }

  // One timer while there are sessions, none when there are not: an idle process must not tick.
  #armSweep(): NodeJS.Timeout {
    return setTimeout(() => {
      for (const session of this.#open.values()) this.#look(session)
      this.#sweep = this.#open.size > 0 ? this.#armSweep() : undefined
      this.onSwept?.()
    }, this.#limits.idleMs / LOOKS).unref()
  }

  /** Ends it when its time is over, and tells whoever shares it when it was used here since the last look. */
  #look({ id, lastSeenAt, elsewhereAt, stream, running }: Session): void {
    const { idleMs } = this.#limits
    const now = Date.now()
    const isAtWork = stream !== undefined || running.size > 0
    // The others tell of what they saw only when they look.
    const isUsedElsewhere = elsewhereAt !== undefined && elsewhereAt >= now - idleMs - idleMs / LOOKS
    if (!isAtWork && lastSeenAt < now - idleMs && !isUsedElsewhere) this.#end(id)
    else if (elsewhereAt !== undefined && (isAtWork || lastSeenAt >= now - idleMs / LOOKS))
      this.news?.session('used', id)
  }
}

function first<T>(set: Set<T>): T | undefined {
  for (const value of set) return value
  return undefined
}
