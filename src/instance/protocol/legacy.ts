import type { LogLevel } from '../../shared/definitions.ts'
import { isFromPeer } from '../http/connection-tenant.ts'
import { type Exchange, refuse, sendEmpty, sendJson } from '../http/exchange.ts'
import { header } from '../http/headers.ts'
import { relayToSuccessor } from '../http/relay.ts'
import {
  type ClientContext,
  type ClientFacts,
  type InputRequired,
  type PreparedServer,
  RpcError,
} from '../prepared-server.ts'
import type { ServedTenant } from '../served-tenant.ts'
import { callerSession } from './caller-session.ts'
import {
  isObject,
  type MessageKind,
  type RequestId,
  RPC,
  type RpcAnswer,
  type RpcNotification,
  type RpcRequest,
} from './json-rpc.ts'
import { answerRounds, type LegacyRun, legacyConversation } from './legacy-conversation.ts'
import { isLogLevel, LOG_LEVEL_NAMES } from './log-level.ts'
import { findMethod, type MethodResult, type Params, toolOf } from './methods.ts'
import { RequestContext } from './request-context.ts'
import { isLegacyRevision, isModernRevision, LEGACY_REVISIONS, negotiateRevision } from './revisions.ts'
import { cancelRun, type Method, type Run, runAgain, runRequest } from './run-request.ts'
import type { Session } from './sessions.ts'

/** The era of `initialize` and sessions, up to 2025-11-25: one message that was posted. */
export function serveLegacyMessage(
  exchange: Exchange,
  kind: MessageKind,
  message: RpcRequest | RpcNotification | RpcAnswer,
): void {
  if (kind === 'response') return receiveAnswer(exchange, message as RpcAnswer)
  serveCall(exchange, kind, message as RpcRequest | RpcNotification)
}

function serveCall(exchange: Exchange, kind: MessageKind, message: RpcRequest | RpcNotification): void {
  if (kind === 'request' && message.method === 'initialize')
    return initialize(exchange, message as RpcRequest)
  const session = requireSession(exchange)
  if (!session) return
  if (kind === 'request') return serveLegacyRequest(exchange, session, message as RpcRequest)
  receiveNotification(exchange.tenant, session, message)
  sendEmpty(exchange, 202)
}

/** An answer to nothing that was asked is taken all the same (2025-11-25 transports, "Sending Messages to the Server"). */
function receiveAnswer(exchange: Exchange, answer: RpcAnswer): void {
  const session = requireSession(exchange)
  if (!session) return
  session.questions?.answer(answer)
  sendEmpty(exchange, 202)
}

/** The session that the request names, if its headers are in order; else it was refused. */
export function requireSession(exchange: Exchange): Session | undefined {
  const { request, tenant } = exchange
  const id = header(request, 'mcp-session-id')
  const revision = header(request, 'mcp-protocol-version')
  const session = id === undefined ? undefined : tenant.sessions.find(id, exchange.caller?.subject)
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

export function receiveNotification(
  tenant: ServedTenant,
  session: Session,
  { method, params }: RpcNotification,
): void {
  if (method === 'notifications/cancelled') return session.running.cancel(params?.requestId as RequestId)
  tenant.server.notified?.(method, params ?? {}, callerSession(tenant, session))
}

/** What a session may ask besides the methods of both eras. */
function findLegacyMethod(
  tenant: ServedTenant,
  session: Session,
  name: string,
): ReturnType<typeof findMethod> {
  const { capabilities } = tenant.server
  if (name === 'ping') return () => EMPTY
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
  const run: LegacyRun = {
    exchange,
    request,
    context: new RequestContext(request.params?._meta, session.logLevel ?? 'debug'),
    conversation: legacyConversation,
    session,
    finishResult: legacyResult,
    finishError: error => legacyError(error, request.method),
    deliver: body => jsonAnswer(exchange, body),
    onInputRequired: answerAndRunAgain,
    sessionId: session.label,
    startedAt: performance.now(),
    isSettled: false,
  }
  run.context.run = run
  if (tool?.streams) run.context.openSink()
  runLegacy(run, session)
}

async function answerAndRunAgain(run: Run, thrown: InputRequired, method: Method): Promise<void> {
  await answerRounds(run as LegacyRun, thrown)
  runAgain(run, method)
}

/** Runs a request of a session so that `notifications/cancelled` finds it. */
export function runLegacy(run: Run, session: Session): void {
  const { request, exchange } = run
  const method = findLegacyMethod(exchange.tenant, session, request.method)
  const running = { id: request.id, cancel: () => cancelRun(run) }
  run.onSettled = () => session.running.delete(running)
  const missing = () => {
    throw methodNotFound(request.method)
  }
  runRequest(run, method ?? missing, () => session.running.add(running))
}

function jsonAnswer(exchange: Exchange, body: string | undefined): number {
  // A cancelled request gets no answer, only the end of its exchange (2025-11-25 cancellation).
  if (body === undefined) sendEmpty(exchange, 202)
  else sendJson(exchange, 200, body)
  return body?.length ?? 0
}

function initialize(exchange: Exchange, request: RpcRequest): void {
  // A session that began here would end with this process, and be unknown to the one that the next connection reaches.
  if (exchange.tenant.isDraining && !isFromPeer(exchange.request.socket))
    return relayToSuccessor(exchange, JSON.stringify(request))
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
    const session = tenant.sessions.create(negotiateRevision(params.protocolVersion), {
      facts: clientFacts(params),
      owner: run.exchange.caller?.subject,
    })
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

function clientFacts({ capabilities, clientInfo }: Params): Omit<ClientFacts, 'protocolVersion'> {
  const isNamed = isObject(clientInfo) && typeof clientInfo.name === 'string'
  return {
    capabilities: isObject(capabilities) ? capabilities : {},
    info: isNamed ? (clientInfo as ClientFacts['info']) : undefined,
  }
}

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
  return EMPTY
}

/** Of one session. */
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
  // A declared resource changes only with a release, which ends the session: there is nothing to remember.
  else if (server.speaksUnasked || server.capabilities.resources?.listChanged) {
    session.subscriptions ??= new Set()
    if (session.subscriptions.size >= MAX_SUBSCRIPTIONS)
      throw new RpcError(RPC.invalidRequest, `A session may have ${MAX_SUBSCRIPTIONS} subscriptions`)
    session.subscriptions.add(uri)
  }
  return EMPTY
}
