import type { LogLevel } from '../../../shared/definitions/definitions.ts'
import type { ClientContext } from '../../server/client-context.ts'
import type { PreparedServer } from '../../server/prepared-server.ts'
import type { ServedTenant } from '../../tenant/served-tenant.ts'
import { RPC, RpcError } from '../json-rpc.ts'
import { isLogLevel, LOG_LEVEL_NAMES } from '../log-level.ts'
import { findMethod, type Method, type MethodResult, type Params } from '../methods.ts'
import type { Session } from './session.ts'

/** Methods of a session, in addition to those of both eras. */
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
  await server.subscribe?.(uri, isWanted, context)
  if (!isWanted) session.subscriptions?.delete(uri)
  // A declared resource never changes while this instance serves it. Nothing needs to be stored.
  else if (server.sendsServerRequests || server.capabilities.resources?.listChanged) {
    session.subscriptions ??= new Set()
    if (session.subscriptions.size >= MAX_SUBSCRIPTIONS)
      throw new RpcError(RPC.invalidRequest, `A session may have at most ${MAX_SUBSCRIPTIONS} subscriptions`)
    session.subscriptions.add(uri)
  }
  return EMPTY_RESULT
}
