import type { Announcement } from '../../../shared/instances/instance-protocol.ts'
import { sessionLabel } from '../../../shared/instances/session-label.ts'
import { type EndedSessions, MAX_SESSIONS } from '../../../shared/instances/session-reports.ts'
import type { PeerAnnouncer } from '../../peers/peer-announcer.ts'
import type { ClientFacts } from '../../server/client-context.ts'
import { LATEST_LEGACY, type LegacyRevision } from '../revisions.ts'
import { RunningRequests } from '../running-requests.ts'
import { capabilitiesOf, capabilityBits } from './capability-bits.ts'
import { isEnded } from './ended-sessions.ts'
import type { Session } from './session.ts'
import { createSessionId, readSessionId, sessionKey } from './session-id.ts'

interface NewSession {
  facts?: Omit<ClientFacts, 'protocolVersion'>
  owner?: string | undefined
  /** Session id of a program that creates its own. */
  inner?: string
}

export interface SessionLimits {
  /** Above this number, the session that has been idle longest is removed. */
  maxSessions: number
  idleMs: number
  /** Older sessions are no longer taken over from other instances. */
  maxAgeMs: number
}

const SESSION_LIMITS: SessionLimits = {
  maxSessions: MAX_SESSIONS,
  idleMs: 30 * 60_000,
  maxAgeMs: 24 * 3_600_000,
}
const MAX_ENDED = 10_000
/** Number of checks per idle period. */
const CHECKS_PER_IDLE_PERIOD = 4
const UNKNOWN_CLIENT = { capabilities: Object.freeze({}), info: undefined }

export class Sessions {
  readonly #key: Buffer
  readonly #instanceId: string
  #limits: SessionLimits
  readonly #open = new Map<string, Session>()
  /** Sessions that expired here or were ended on any instance. They must not be taken over again. */
  readonly #ended = new Set<string>()
  #sweep: NodeJS.Timeout | undefined
  /** Port to which other instances relay requests for these sessions. */
  peerPort: number | undefined
  /** Deployment that session ids name. */
  version: string | undefined
  /** Announces used and ended sessions to other instances. Undefined when no other instance needs to know. */
  announcer: PeerAnnouncer | undefined
  /** True when several instances may serve a session at the same time. */
  areShared = false
  /** Sessions that were ended through the API. */
  endedByApi: EndedSessions | undefined
  /** Called after sessions were checked for expiry. */
  onSwept: (() => void) | undefined

  /** `stateKey` is the key of the address in base64. */
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
    { facts = UNKNOWN_CLIENT, owner, inner }: NewSession = {},
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
    return this.#add(id, owner, { protocolVersion: revision, ...facts }, claim.issuedAt)
  }

  /** True when this instance already has the session. */
  has(id: string): boolean {
    return this.#open.has(id)
  }

  /** True while a call in the session is running here. It may be waiting for its client. */
  isBusy(id: string): boolean {
    return (this.#open.get(id)?.running.size ?? 0) > 0
  }

  all(): Iterable<Session> {
    return this.#open.values()
  }

  /** Finds a session, or takes it over from another instance. Undefined if it is invalid, too old, ended or another user's. */
  find(id: string, owner?: string): Session | undefined {
    const session = this.#open.get(id)
    if (!session) return this.#takeOver(id, owner)
    if (session.owner !== owner) return undefined
    session.lastSeenAt = Date.now()
    return session
  }

  /** Ends a session permanently, on all instances. */
  end(id: string): void {
    this.#end(id)
    this.announcer?.session('ended', id)
  }

  /** Applies an announcement from another instance. */
  applyAnnouncement({ used, ended }: Pick<Announcement, 'used' | 'ended'>): void {
    for (const id of used) {
      const session = this.#open.get(id)
      if (session) session.usedElsewhereAt = Date.now()
    }
    for (const id of ended) this.#end(id)
  }

  /**
   * Drops all sessions except wanted ones and those with running calls. Kept sessions expire after at most `idleMs` without use.
   */
  keep(isWanted: (session: Session) => boolean, idleMs: number): void {
    for (const session of this.#open.values()) {
      session.usedElsewhereAt = undefined
      if (!isWanted(session) && session.running.size === 0) this.#forget(session)
    }
    this.#limits = { ...this.#limits, idleMs: Math.min(idleMs, this.#limits.idleMs) }
    clearTimeout(this.#sweep)
    this.#sweep = this.#open.size > 0 ? this.#armSweep() : undefined
  }

  /** Ends every GET stream. The clients reconnect to another instance. */
  endStreams(): void {
    for (const session of this.#open.values()) session.stream?.end()
  }

  close(): void {
    clearTimeout(this.#sweep)
    for (const session of this.#open.values()) this.#forget(session)
  }

  #takeOver(id: string, owner: string | undefined): Session | undefined {
    if (this.#ended.has(id) || isEnded(this.endedByApi, id)) return undefined
    const claim = readSessionId(id, sessionKey(this.#key, owner))
    if (!claim || claim.issuedAt * 1000 + this.#limits.maxAgeMs < Date.now()) return undefined
    const capabilities = capabilitiesOf(claim.capabilityBits)
    const client = { protocolVersion: claim.revision, capabilities, info: undefined }
    const session = this.#add(id, owner, client, claim.issuedAt)
    if (this.announcer && this.areShared) {
      session.usedElsewhereAt = Date.now()
      this.announcer.session('used', id)
    }
    return session
  }

  #end(id: string): void {
    const session = this.#open.get(id)
    if (session) this.#forget(session)
    this.#ended.add(id)
    if (this.#ended.size > MAX_ENDED) this.#ended.delete(this.#ended.values().next().value!)
  }

  /** `issuedAt`: Unix seconds. */
  #add(id: string, owner: string | undefined, client: ClientFacts, issuedAt: number): Session {
    if (this.#open.size >= this.#limits.maxSessions) this.#forget(this.#longestIdle())
    const session: Session = {
      id,
      owner,
      label: sessionLabel(id),
      revision: client.protocolVersion as LegacyRevision,
      logLevel: undefined,
      startedAt: issuedAt * 1000,
      requests: 0,
      lastSeenAt: Date.now(),
      usedElsewhereAt: undefined,
      running: new RunningRequests(),
      stream: undefined,
      outbox: undefined,
      client,
      ended: undefined,
      serverRequests: undefined,
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
    session.serverRequests?.close()
    session.ended?.abort()
  }

  #longestIdle(): Session {
    let idlest: Session | undefined
    for (const session of this.#open.values())
      if (!idlest || session.lastSeenAt < idlest.lastSeenAt) idlest = session
    return idlest!
  }

  // The timer runs only while there are sessions, so that an idle process does not wake up.
  #armSweep(): NodeJS.Timeout {
    return setTimeout(() => {
      for (const session of this.#open.values()) this.#check(session)
      this.#sweep = this.#open.size > 0 ? this.#armSweep() : undefined
      this.onSwept?.()
    }, this.#limits.idleMs / CHECKS_PER_IDLE_PERIOD).unref()
  }

  /** Ends the session if it has expired. Otherwise, announces recent use to the instances that share the session. */
  #check({ id, lastSeenAt, usedElsewhereAt, stream, running }: Session): void {
    const { idleMs } = this.#limits
    const now = Date.now()
    const isBusy = stream !== undefined || running.size > 0
    // One check period more, because other instances announce use only at their checks.
    const isUsedElsewhere =
      usedElsewhereAt !== undefined && usedElsewhereAt >= now - idleMs - idleMs / CHECKS_PER_IDLE_PERIOD
    if (!isBusy && lastSeenAt < now - idleMs && !isUsedElsewhere) this.#end(id)
    else if (usedElsewhereAt !== undefined && (isBusy || lastSeenAt >= now - idleMs / CHECKS_PER_IDLE_PERIOD))
      this.announcer?.session('used', id)
  }
}
