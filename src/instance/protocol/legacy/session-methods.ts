import type { LogLevel } from '../../../shared/definitions/definitions.ts'
import type { ClientContext } from '../../server/client-context.ts'
import type { PreparedServer } from '../../server/prepared-server.ts'
import type { ServedTenant } from '../../tenant/served-tenant.ts'
import { RPC, RpcError } from '../json-rpc.ts'
import { isLogLevel, LOG_LEVEL_NAMES } from '../log-level.ts'
import { findMethod, type Method, type MethodResult, type Params } from '../methods.ts'
import type { Session } from './session.ts'

/** Finds a method that only sessions offer, or a method of both eras. */
export function findSessionMethod(tenant: ServedTenant, session: Session, name: string): Method | undefined {
  const { capabilities } = tenant.server
  if (name === 'ping') return () => EMPTY_RESULT
  if (name === 'logging/setLevel' && capabilities.logging)
    return (server, params, context) =>
      setLevel(session, params, level => server.setLogLevel?.(level, context))
  if (
    (name === 'resources/subscribe' || name === 'resources/unsubscribe') &&
    capabilities.resources?.subscribe
  )
    return (server, params, context) => subscribe(session, name, server, params, context)
  return findMethod(tenant.server, name)
}

const EMPTY_RESULT: MethodResult = { members: '', failed: false }

async function setLevel(
  session: Session,
  { level }: Params,
  pass: (level: LogLevel) => void | Promise<void>,
): Promise<MethodResult> {
  if (!isLogLevel(level))
    throw new RpcError(
      RPC.invalidParams,
      `Invalid params: "level" must be one of ${LOG_LEVEL_NAMES.join(', ')}`,
    )
  session.logLevel = level
  await pass(level)
  return EMPTY_RESULT
}

const MAX_SUBSCRIPTIONS = 1000

async function subscribe(
  session: Session,
  name: string,
  server: PreparedServer,
  { uri }: Params,
  context: ClientContext,
): Promise<MethodResult> {
  if (typeof uri !== 'string') throw new RpcError(RPC.invalidParams, 'Invalid params: "uri" must be a string')
  if (!server.hasResource(uri)) throw new RpcError(RPC.invalidParams, `Resource not found: ${uri}`, { uri })
  const isWanted = name === 'resources/subscribe'
  // Not stored for declared resources, which never change while this instance serves them.
  const isStored = server.sendsServerRequests || server.capabilities.resources?.listChanged
  if (isWanted && isStored) checkLimit(session, uri)
  await server.subscribe?.(uri, isWanted, context)
  if (!isWanted) session.subscriptions?.delete(uri)
  else if (isStored) {
    session.subscriptions ??= new Set()
    session.subscriptions.add(uri)
  }
  return EMPTY_RESULT
}

function checkLimit({ subscriptions }: Session, uri: string): void {
  if (!subscriptions || subscriptions.size < MAX_SUBSCRIPTIONS || subscriptions.has(uri)) return
  throw new RpcError(
    RPC.invalidRequest,
    `A session may have at most ${MAX_SUBSCRIPTIONS} subscriptions. Unsubscribe from a resource first.`,
  )
}
