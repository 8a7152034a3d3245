import type { TenantLog } from '../../log/tenant-log.ts'
import type { CallerSession } from '../../server/client-context.ts'
import { missingCapability, missingCapabilitySentence, requiredCapability } from '../client-capabilities.ts'
import { RPC, RpcError, rpcNotification } from '../json-rpc.ts'
import type { EventStore } from './event-store.ts'
import { ServerRequests } from './server-requests.ts'
import type { Session } from './session.ts'

/** The parts of a tenant that a session needs to send messages. */
export interface SessionTenant {
  readonly instanceId: string
  readonly log: TenantLog
  readonly events: EventStore
}

/** The session as handlers see it. One object for all requests of the session. */
export function callerSession(tenant: SessionTenant, session: Session): CallerSession {
  session.caller ??= {
    id: session.id,
    get ended() {
      session.ended ??= new AbortController()
      return session.ended.signal
    },
    get isListening() {
      return session.stream !== undefined
    },
    notify: (method, params = {}) => sendOverGetStream(tenant, session, rpcNotification(method, params)),
    ask: (method, params, unwanted) => {
      const open = () => (message: string) => sendOverGetStream(tenant, session, message)
      return askClient(tenant, session, method, params, open, unwanted)
    },
  }
  return session.caller
}

/** Checks the capability, sends a request through the function that `open` returns, and waits for the client's POST. */
export async function askClient(
  tenant: SessionTenant,
  session: Session,
  method: string,
  params: Record<string, unknown>,
  open: () => (message: string) => void,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  const missing = missingCapability(session.client.capabilities, requiredCapability(method, params))
  if (missing) throw new RpcError(RPC.invalidRequest, missingCapabilitySentence(method, missing))
  session.serverRequests ??= new ServerRequests(`${tenant.instanceId}.`)
  return session.serverRequests.ask(method, params, open(), signal)
}

/** Sends over the session's GET stream, now or when the client opens one. */
export function sendOverGetStream(tenant: SessionTenant, session: Session, message: string): void {
  tenant.log.message('out', message, session.label)
  openOutbox(tenant, session).send(message)
}

export function openOutbox(tenant: SessionTenant, session: Session): NonNullable<Session['outbox']> {
  session.outbox ??= tenant.events.createOutbox(session.id)
  return session.outbox
}
