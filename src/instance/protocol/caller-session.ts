import { type CallerSession, RpcError } from '../prepared-server.ts'
import type { ServedTenant } from '../served-tenant.ts'
import { missingCapability, missingCapabilitySentence, requiredCapability } from './client-capabilities.ts'
import { RPC, rpcNotification } from './json-rpc.ts'
import { Questions } from './questions.ts'
import type { Session } from './sessions.ts'

/** The session as handlers see it: one object for all its requests. */
export function callerSession(tenant: ServedTenant, session: Session): CallerSession {
  session.caller ??= {
    id: session.id,
    get ended() {
      session.ended ??= new AbortController()
      return session.ended.signal
    },
    get isListening() {
      return session.stream !== undefined
    },
    notify: (method, params = {}) => sendUnasked(tenant, session, rpcNotification(method, params)),
    ask: (method, params, unwanted) => {
      const open = () => (message: string) => sendUnasked(tenant, session, message)
      return askClient(tenant, session, method, params, open, unwanted)
    },
  }
  return session.caller
}

/** Sends a request by what `open` gives, once it may be asked, and waits for the POST with its answer. */
export async function askClient(
  tenant: ServedTenant,
  session: Session,
  method: string,
  params: Record<string, unknown>,
  open: () => (message: string) => void,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  const missing = missingCapability(session.client.capabilities, requiredCapability(method, params))
  if (missing) throw new RpcError(RPC.invalidRequest, missingCapabilitySentence(method, missing))
  session.questions ??= new Questions(`${tenant.instanceId}.`)
  return session.questions.ask(method, params, open(), signal)
}

/** Over the GET stream, now or when the client opens one. */
export function sendUnasked(tenant: ServedTenant, session: Session, message: string): void {
  tenant.log.message('out', message, session.label)
  openOutbox(tenant, session).send(message)
}

export function openOutbox(tenant: ServedTenant, session: Session): NonNullable<Session['outbox']> {
  session.outbox ??= tenant.events.createOutbox(session.id)
  return session.outbox
}
