import type { Exchange } from '../http/exchange.ts'
import { header } from '../http/headers.ts'
import { capabilitiesOf } from '../protocol/capability-bits.ts'
import { readSessionId, type SessionClaim, sessionInstance, sessionKey } from '../protocol/session-id.ts'
import type { Session } from '../protocol/sessions.ts'
import type { ServedTenant } from '../served-tenant.ts'

/** A longer id goes to the client as it is: with ours around it, it could be more than a header may be. */
const MAX_ID_LENGTH = 2000
const MAX_NAMED = 10_000

/** The session of one request to a program that makes its session ids itself. */
export interface ForwardedSession {
  /** Headers that the request goes to the program with, instead of its own of these names; `url`: where it serves MCP. */
  headers(url: string): Promise<Readonly<Record<string, string>>>
  /** What the client is to call the session that the program's answer names. */
  nameFor(id: string, status: number): string
  /** The answer has been given, with this status. */
  end(status: number): void
}

/**
 * The sessions of a program. Only the process that began one knows it, and a connection reaches any instance, also that of a later
 * release: so clients are given ids that name the instance and carry the program's own id, signed as all others are
 * (protocol/session-id.ts), and requests are brought there (peers/relay-to-peer.ts). What sessions are open decides how
 * long a release stays that another one replaced. A session that began while the program slept is begun with it by the first request.
 */
export class ProgramSessions {
  /** What clients call sessions, by the program's ids: some programs name theirs in each answer. */
  readonly #named = new Map<string, string>()
  /** Headers of sessions that began elsewhere, by what clients call them. */
  readonly #begun = new Map<string, Promise<Readonly<Record<string, string>>>>()

  /** Undefined where the request is to go as it is. */
  of(exchange: Exchange): ForwardedSession | undefined {
    const { tenant, request } = exchange
    const owner = exchange.caller?.subject
    const given = header(request, 'mcp-session-id')
    const claim = given === undefined ? undefined : readSessionId(given, sessionKey(tenant.stateKey, owner))
    if (!claim && !tenant.config.hasSiblings) return undefined
    const session = claim && findSession(tenant, { given: given!, claim, owner })
    const isDone = beginWork(session)
    return {
      headers: async url => {
        if (claim?.inner !== undefined) return { [SESSION]: claim.inner }
        return session ? this.#begin(session, claim!, url) : {}
      },
      nameFor: (id, status) => {
        if (given !== undefined && id === (claim?.inner ?? given)) return given
        if (claim && claim.inner === undefined) return given! // begun with it for this client
        return status < 400 && id.length <= MAX_ID_LENGTH ? this.#name(tenant, id, owner) : id
      },
      end: status => {
        isDone()
        if (!session) return
        if (isOver(request.method, status)) this.#end(tenant, session)
        tenant.changed()
      },
    }
  }

  #name(tenant: ServedTenant, id: string, owner: string | undefined): string {
    const known = this.#named.get(id)
    if (known !== undefined && tenant.sessions.find(known, owner)) return known
    const { id: name } = tenant.sessions.create(undefined, { owner, inner: id })
    remember(this.#named, id, name)
    tenant.changed()
    return name
  }

  /** The handshake that the client made while nobody was there to make it with. */
  #begin(session: Session, claim: SessionClaim, url: string): Promise<Readonly<Record<string, string>>> {
    const known = this.#begun.get(session.id)
    if (known) return known
    const begun = beginSession(url, claim).catch(() => {
      this.#begun.delete(session.id) // the next request tries anew
      return {} // the program refuses this one itself
    })
    remember(this.#begun, session.id, begun)
    return begun
  }

  #end(tenant: ServedTenant, session: Session): void {
    this.#begun.delete(session.id)
    tenant.sessions.end(session.id)
  }
}

const SESSION = 'mcp-session-id'

async function beginSession(url: string, claim: SessionClaim): Promise<Readonly<Record<string, string>>> {
  const { McpHttpClient } = await import('./mcp-http-client.ts')
  const capabilities = capabilitiesOf(claim.capabilityBits)
  const client = new McpHttpClient(url, { protocolVersion: claim.revision, capabilities })
  await client.beginSession()
  return { [SESSION]: '', ...client.headers }
}

/** One that the program of another process began is unknown to this one. */
function findSession(
  tenant: ServedTenant,
  { given, claim, owner }: { given: string; claim: SessionClaim; owner: string | undefined },
): Session | undefined {
  const isElsewhere = claim.inner !== undefined && sessionInstance(given) !== tenant.instanceId
  return isElsewhere ? undefined : tenant.sessions.find(given, owner)
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

/**
 * Streamable HTTP, "Session Management": 404 is the end of a session. Not to a GET: a program without a stream may have
 * nothing at all there, where it should say 405.
 */
function isOver(method: string | undefined, status: number): boolean {
  return (status === 404 && method !== 'GET') || (method === 'DELETE' && status < 300)
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > MAX_NAMED) map.delete(map.keys().next().value!)
}
