import { type Exchange, openStream, refuse, sendEmpty, sendJson } from '../http/exchange.ts'
import { header } from '../http/headers.ts'
import { RpcError } from '../prepared-server.ts'
import type { ServedTenant } from '../served-tenant.ts'
import { type MessageKind, type RequestId, RPC, type RpcNotification, type RpcRequest } from './json-rpc.ts'
import { isLogLevel, LOG_LEVEL_NAMES } from './log-level.ts'
import { findMethod, type MethodResult, type Params, toolOf } from './methods.ts'
import { RequestContext } from './request-context.ts'
import {
  FIRST_WITH_PRIMING,
  isLegacyRevision,
  isModernRevision,
  LEGACY_REVISIONS,
  negotiateRevision,
} from './revisions.ts'
import { cancelRun, type Run, runRequest } from './run-request.ts'
import type { Session } from './sessions.ts'

/** The era of `initialize` and sessions, up to 2025-11-25: one message that was posted. */
export function serveLegacyMessage(
  exchange: Exchange,
  kind: MessageKind,
  message: RpcRequest | RpcNotification,
): void {
  if (kind === 'request' && message.method === 'initialize')
    return initialize(exchange, message as RpcRequest)
  const session = requireSession(exchange)
  if (!session) return
  if (kind === 'request') return serveLegacyRequest(exchange, session, message as RpcRequest)
  if (kind === 'notification') receiveNotification(session, message)
  sendEmpty(exchange, 202)
}

/** The session that the request names, if its headers are in order; else it was refused. */
export function requireSession(exchange: Exchange): Session | undefined {
  const { request, tenant } = exchange
  const id = header(request, 'mcp-session-id')
  const revision = header(request, 'mcp-protocol-version')
  const session = id === undefined ? undefined : tenant.sessions.find(id)
  if (session && (revision === undefined || isLegacyRevision(revision))) return session
  if (session)
    refuse(exchange, 400, {
      code: RPC.refused,
      message: `Unsupported protocol version ${JSON.stringify(revision)}; supported are ${LEGACY_REVISIONS.join(', ')}`,
    })
  else if (id === undefined)
    refuse(exchange, 400, {
      code: RPC.refused,
      message: 'The header Mcp-Session-Id is required; it comes with the answer to initialize',
    })
  // The client then begins a new session by itself (2025-11-25 transports, "Session Management").
  else
    refuse(exchange, 404, { code: RPC.sessionNotFound, message: 'Session not found; send initialize again' })
  return undefined
}

export function receiveNotification(session: Session, { method, params }: RpcNotification): void {
  if (method !== 'notifications/cancelled') return
  session.running.get(params?.requestId as RequestId)?.()
}

/** What a session may ask besides the methods of both eras. */
export function findLegacyMethod(
  tenant: ServedTenant,
  session: Session,
  name: string,
): ReturnType<typeof findMethod> {
  const { capabilities } = tenant.server
  if (name === 'ping') return () => EMPTY
  if (name === 'logging/setLevel' && capabilities.logging)
    return (_server, params) => setLevel(session, params)
  if (
    (name === 'resources/subscribe' || name === 'resources/unsubscribe') &&
    capabilities.resources?.subscribe
  )
    return (server, params) => checkSubscription(server.hasResource(String(params.uri)), params)
  return findMethod(tenant.server, name)
}

/** Resource not found had a code of its own until 2025-11-25. */
export function legacyError(error: RpcError, method: string): RpcError {
  const isNotFound =
    method.startsWith('resources/') && error.code === RPC.invalidParams && error.data !== undefined
  return isNotFound ? new RpcError(RPC.resourceNotFound, error.message, error.data) : error
}

export function legacyResult({ members, meta }: MethodResult): string {
  if (meta === undefined) return members
  return `${members}${members && ','}"_meta":${JSON.stringify(meta)}`
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(RPC.methodNotFound, `Method not found: ${method}`)
}

const EMPTY: MethodResult = { members: '', failed: false }

function serveLegacyRequest(exchange: Exchange, session: Session, request: RpcRequest): void {
  const { tenant } = exchange
  const tool = toolOf(tenant.server, request.method, request.params ?? {})
  if (tool?.streams && !tenant.hasRoomForStream)
    return refuse(
      exchange,
      503,
      { code: RPC.refused, message: 'Too many open streams; try again later', id: request.id },
      ['Retry-After', '5'],
    )
  const context = new RequestContext(request.params?._meta, session.logLevel ?? 'debug')
  const run: Run = {
    exchange,
    request,
    context,
    finishResult: legacyResult,
    finishError: error => legacyError(error, request.method),
    deliver: tool?.streams ? streamAnswer(exchange, session, context) : body => jsonAnswer(exchange, body),
    sessionId: session.label,
    startedAt: performance.now(),
    isSettled: false,
  }
  runLegacy(run, session)
}

/** Runs a request of a session so that `notifications/cancelled` finds it. */
export function runLegacy(run: Run, session: Session): void {
  const { request, exchange } = run
  const method = findLegacyMethod(exchange.tenant, session, request.method)
  const deliver = run.deliver
  run.deliver = body => {
    session.running.delete(request.id)
    return deliver(body)
  }
  const missing = () => {
    throw methodNotFound(request.method)
  }
  runRequest(run, method ?? missing, () => session.running.set(request.id, () => cancelRun(run)))
}

function jsonAnswer(exchange: Exchange, body: string | undefined): number {
  // A cancelled request gets no answer, only the end of its exchange (2025-11-25 cancellation).
  if (body === undefined) sendEmpty(exchange, 202)
  else sendJson(exchange, 200, body)
  return body?.length ?? 0
}

/** A broken connection is not a cancellation in this era: the events are kept for the client to come back for. */
function streamAnswer(exchange: Exchange, session: Session, context: RequestContext): Run['deliver'] {
  const { tenant } = exchange
  const stream = tenant.events.open(session.id)
  const sse = openStream(exchange, ['Mcp-Session-Id', session.id], () => {})
  stream.attach(sse, session.revision >= FIRST_WITH_PRIMING)
  context.sink = message => {
    tenant.log.message('out', message, session.label)
    stream.send(message)
  }
  return body => {
    if (body !== undefined) stream.send(body)
    stream.finish()
    return body?.length ?? 0
  }
}

function initialize(exchange: Exchange, request: RpcRequest): void {
  const { tenant } = exchange
  if (isModernRevision(header(exchange.request, 'mcp-protocol-version') ?? ''))
    return refuse(exchange, 400, {
      code: RPC.headerMismatch,
      message: 'initialize does not exist in the revision that MCP-Protocol-Version names',
      id: request.id,
    })
  const run: Run = {
    exchange,
    request,
    context: new RequestContext(undefined, undefined),
    finishResult: legacyResult,
    deliver: body => jsonAnswer(exchange, body),
    startedAt: performance.now(),
    isSettled: false,
  }
  runRequest(run, (_server, params) => {
    const session = tenant.sessions.create(negotiateRevision(params.protocolVersion))
    run.sessionId = session.label
    run.deliver = body => {
      sendJson(exchange, 200, body ?? '', ['Mcp-Session-Id', session.id])
      return body?.length ?? 0
    }
    return initializeResult(tenant, session)
  })
}

function initializeResult({ server }: ServedTenant, session: Session): MethodResult {
  const result = {
    protocolVersion: session.revision,
    capabilities: server.capabilities,
    serverInfo: server.info,
    instructions: server.instructions,
  }
  return { members: JSON.stringify(result).slice(1, -1), failed: false }
}

function setLevel(session: Session, { level }: Params): MethodResult {
  if (!isLogLevel(level))
    throw new RpcError(
      RPC.invalidParams,
      `Invalid params: "level" must be one of ${LOG_LEVEL_NAMES.join(', ')}`,
    )
  session.logLevel = level
  return EMPTY
}

// A declared resource changes only with a release, which ends the session: there is nothing to remember.
function checkSubscription(exists: boolean, { uri }: Params): MethodResult {
  if (typeof uri !== 'string') throw new RpcError(RPC.invalidParams, 'Invalid params: "uri" must be a string')
  if (!exists) throw new RpcError(RPC.invalidParams, `Resource not found: ${uri}`, { uri })
  return EMPTY
}
