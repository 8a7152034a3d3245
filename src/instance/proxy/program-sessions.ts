import type { Exchange } from '../http/exchange.ts'
import { header } from '../http/headers.ts'
import { readSessionId, sessionInstance, sessionKey } from '../protocol/session-id.ts'
import type { Session } from '../protocol/sessions.ts'
import type { ServedTenant } from '../served-tenant.ts'

/** A longer id goes to the client as it is: with ours around it, it could be more than a header may be. */
const MAX_ID_LENGTH = 2000
const MAX_NAMED = 10_000

/** The session of one request to a program that makes its session ids itself. */
export interface ForwardedSession {
  /** What the request goes to the program with; undefined where it has no session, or the header is passed as it is. */
  readonly id: string | undefined
  /** What the client is to call the session that the program's answer names. */
  nameFor(id: string, status: number): string
  /** The answer has been given, with this status. */
  end(status: number): void
}

/**
 * The sessions of a program. Only the process that began one knows it, and a connection reaches any instance, also that of a later
 * release: so clients are given ids that name the instance and carry the program's own id, signed as all others are
 * (protocol/session-id.ts), and requests are brought there (peers/relay-to-peer.ts). What sessions are open decides how
 * long a release stays that another one replaced.
 */
export class ProgramSessions {
  /** What clients call sessions, by the program's ids: some programs name theirs in each answer. */
  readonly #named = new Map<string, string>()

  /** Undefined where there is only one instance at any time, and no release after it. */
  of(exchange: Exchange): ForwardedSession | undefined {
    const { tenant, request } = exchange
    if (!tenant.config.hasSiblings) return undefined
    const given = header(request, 'mcp-session-id')
    const owner = exchange.caller?.subject
    const id = given && readSessionId(given, sessionKey(tenant.stateKey, owner))?.inner
    const session = id === undefined ? undefined : findHere(tenant, given!, owner)
    const isDone = beginWork(session)
    return {
      id,
      nameFor: (named, status) => {
        if (named === id) return given!
        return status < 400 && named.length <= MAX_ID_LENGTH ? this.#name(tenant, named, owner) : named
      },
      end(status) {
        isDone()
        if (session && isOver(request.method, status)) tenant.sessions.end(session)
        if (session) tenant.changed()
      },
    }
  }

  #name(tenant: ServedTenant, id: string, owner: string | undefined): string {
    const known = this.#named.get(id)
    if (known !== undefined && findHere(tenant, known, owner)) return known
    const { id: name } = tenant.sessions.create(undefined, undefined, owner, id)
    this.#named.delete(id)
    this.#named.set(id, name)
    if (this.#named.size > MAX_NAMED) this.#named.delete(this.#named.keys().next().value!)
    tenant.changed()
    return name
  }
}

/** One that began in another process is unknown to the program of this one. */
function findHere(tenant: ServedTenant, id: string, owner: string | undefined): Session | undefined {
  return sessionInstance(id) === tenant.instanceId ? tenant.sessions.find(id, owner) : undefined
}

/** While a request is answered, or a stream open, its session is in use. */
function beginWork(session: Session | undefined): () => void {
  const work = { id: 'forwarded', cancel: () => {} } // its client ends it
  session?.running.add(work)
  return () => {
    session?.running.delete(work)
    if (session) session.lastSeenAt = Date.now()
  }
}

/** Streamable HTTP, "Session Management": 404 is the end of a session. */
function isOver(method: string | undefined, status: number): boolean {
  return status === 404 || (method === 'DELETE' && status < 300)
}
