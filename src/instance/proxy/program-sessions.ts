import { header } from '../http/headers.ts'
import type { ExchangeTenant, HttpExchange } from '../http/http-exchange.ts'
import { capabilitiesOf } from '../protocol/legacy/capability-bits.ts'
import type { Session } from '../protocol/legacy/session.ts'
import {
  readSessionId,
  type SessionClaim,
  sessionInstance,
  sessionKey,
} from '../protocol/legacy/session-id.ts'

/** Longer ids are returned unchanged. Wrapped in ours, they could exceed the maximum size of a header. */
const MAX_ID_LENGTH = 2000
const MAX_NAMED = 10_000

/** Session of one request to a program that creates its own session ids. */
export interface ForwardedSession {
  /** Headers that replace the request's own on the way to the program. `url` is the program's MCP endpoint. */
  headers(url: string): Promise<Readonly<Record<string, string>>>
  /** Id for the client, instead of the id in the program's answer. */
  nameFor(id: string, status: number): string
  /** Must be called with the status when the answer is complete. */
  end(status: number): void
}

/**
 * Sessions of a program that creates its own session ids. Only one process knows a session, but a connection may reach any
 * instance, even one of a later release. Clients therefore get a signed id that names the instance and contains the program's id
 * (protocol/legacy/session-id.ts), and requests are relayed to that instance (peers/relay-to-peer.ts). A replaced release stays
 * until its sessions have ended. If a session started while the program slept, its first request also starts it in the program.
 */
export class ProgramSessions {
  /** Client ids by the program's ids, because some programs repeat the session id in each answer. */
  readonly #named = new Map<string, string>()
  /** Headers by client id, for sessions that started while the program slept. */
  readonly #begun = new Map<string, Promise<Readonly<Record<string, string>>>>()

  /** Undefined when the request must be forwarded unchanged. */
  of(exchange: HttpExchange): ForwardedSession | undefined {
    const { tenant, request } = exchange
    const owner = exchange.caller?.subject
    const given = header(request, 'mcp-session-id')
    const claim = given === undefined ? undefined : readSessionId(given, sessionKey(tenant.stateKey, owner))
    if (!claim && !tenant.config.hasSiblings) return undefined
    const session = claim && findSession(tenant, { given: given!, claim, owner })
    const isDone = markBusy(session, exchange)
    return {
      headers: async url => {
        if (claim?.inner !== undefined) return { [SESSION]: claim.inner }
        return session ? this.#begin(session, claim!, url) : {}
      },
      nameFor: (id, status) => {
        if (given !== undefined && id === (claim?.inner ?? given)) return given
        if (claim && claim.inner === undefined) return given! // the session that `#begin` started in the program
        return status < 400 && id.length <= MAX_ID_LENGTH ? this.#name(tenant, id, owner) : id
      },
      end: status => {
        isDone()
        if (!session) return
        if (endsSession(request.method, status)) this.#end(tenant, session)
        tenant.changed()
      },
    }
  }

  /** Headers that name a session to the program. */
  async headersOf({ stateKey }: ExchangeTenant, { id, owner }: Session): Promise<Record<string, string>> {
    const inner = readSessionId(id, sessionKey(stateKey, owner))?.inner
    return { [SESSION]: inner ?? id, ...(await this.#begun.get(id)) }
  }

  #name(tenant: ExchangeTenant, id: string, owner: string | undefined): string {
    const known = this.#named.get(id)
    if (known !== undefined && tenant.sessions.find(known, owner)) return known
    const { id: name } = tenant.sessions.create(undefined, { owner, inner: id })
    remember(this.#named, id, name)
    tenant.changed()
    return name
  }

  /** Repeats the client's handshake, which happened while the program slept. */
  #begin(session: Session, claim: SessionClaim, url: string): Promise<Readonly<Record<string, string>>> {
    const known = this.#begun.get(session.id)
    if (known) return known
    const begun = beginSession(url, claim).catch(() => {
      this.#begun.delete(session.id) // the next request tries again
      return {} // the program refuses this request itself
    })
    remember(this.#begun, session.id, begun)
    return begun
  }

  #end(tenant: ExchangeTenant, session: Session): void {
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

/** Undefined for a session that only another instance's program knows. */
function findSession(
  tenant: ExchangeTenant,
  { given, claim, owner }: { given: string; claim: SessionClaim; owner: string | undefined },
): Session | undefined {
  const isElsewhere = claim.inner !== undefined && sessionInstance(given) !== tenant.instanceId
  return isElsewhere ? undefined : tenant.sessions.find(given, owner)
}

/** Marks the session as used while a request is answered or a stream is open. */
function markBusy(session: Session | undefined, { request, response }: HttpExchange): () => void {
  // `cancel` does nothing, because the client cancels by disconnecting.
  const isStream = request.method === 'GET'
  const work = { id: 'forwarded', cancel: () => {}, disconnect: () => void response.destroy(), isStream }
  session?.running.add(work)
  if (session && request.method === 'POST') session.requests++
  return () => {
    session?.running.delete(work)
    if (session) session.lastSeenAt = Date.now()
  }
}

/**
 * True when an answer ends its session. 404 does (Streamable HTTP, "Session Management"), except for GET, because a program
 * without a GET stream may answer 404 instead of 405.
 */
function endsSession(method: string | undefined, status: number): boolean {
  return (status === 404 && method !== 'GET') || (method === 'DELETE' && status < 300)
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > MAX_NAMED) map.delete(map.keys().next().value!)
}
