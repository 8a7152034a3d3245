import { type Exchange, refuse, sendEmpty, sendJson } from '../http/exchange.ts'
import { findEnvelopeProblem, META } from './envelope.ts'
import { findContradiction, findHeaderFault } from './header-check.ts'
import { type RequestId, RPC, type RpcNotification, type RpcRequest } from './json-rpc.ts'
import { serveListen } from './listen.ts'
import { findMethod, toolOf } from './methods.ts'
import {
  endWithInputRequired,
  modernConversation,
  readAnswers,
  requestedLogLevel,
} from './modern-conversation.ts'
import { discover, modernResult } from './modern-result.ts'
import { findParamFault } from './param-headers.ts'
import { RequestContext } from './request-context.ts'
import { MODERN_REVISIONS } from './revisions.ts'
import { cancelRun, type Method, type Run, runRequest } from './run-request.ts'

/** The stateless era from 2026-07-28 on: every request carries what the server must know of its client. */
export function serveModernRequest(exchange: Exchange, request: RpcRequest): void {
  const { tenant } = exchange
  const refusal = findRefusal(exchange, request)
  if (refusal) return refuseModern(exchange, refusal.code, refusal.message, refusal.data, request.id)
  if (request.method === 'subscriptions/listen') return serveListen(exchange, request)
  const method =
    request.method === 'server/discover' ? () => discover(tenant) : findMethod(tenant.server, request.method)
  if (!method)
    return refuseModern(
      exchange,
      RPC.methodNotFound,
      `Method not found: ${request.method}`,
      undefined,
      request.id,
    )
  const tool = toolOf(tenant.server, request.method, request.params ?? {})
  const fault = tool && findParamFault(exchange.request, tool, request.params?.arguments)
  if (fault)
    return refuseModern(
      exchange,
      RPC.headerMismatch,
      `Headers and body disagree: ${fault}`,
      undefined,
      request.id,
    )
  if (tool?.streams && !tenant.hasRoomForStream)
    return refuse(
      exchange,
      503,
      { code: RPC.refused, message: 'Too many open streams; try again later', id: request.id },
      ['Retry-After', '5'],
    )
  const run = createRun(exchange, request)
  if (tool?.streams) run.context.openSink()
  // Closing the connection is how a client cancels in this era.
  runRequest(run, withAnswers(run, method), () => exchange.response.once('close', () => cancelRun(run)))
}

/** Nothing a client can notify of concerns a server without sessions. */
export function serveModernNotification(exchange: Exchange, message: RpcNotification): void {
  const claimed = (message.params?._meta as Record<string, unknown> | undefined)?.[META.protocolVersion]
  const fault =
    typeof claimed === 'string' ? findContradiction(exchange.request, claimed, message.method) : undefined
  if (fault) return refuseModern(exchange, RPC.headerMismatch, `Headers and body disagree: ${fault}`)
  sendEmpty(exchange, 202)
}

/** 404 for an unknown method, 400 for all else that is refused before it runs. */
export function refuseModern(
  exchange: Exchange,
  code: number,
  message: string,
  data?: unknown,
  id: RequestId | null = null,
): void {
  refuse(exchange, code === RPC.methodNotFound ? 404 : 400, { code, message, data, id })
}

function findRefusal(
  { request: http }: Exchange,
  request: RpcRequest,
): { code: number; message: string; data?: unknown } | undefined {
  const meta = request.params?._meta as Record<string, unknown> | undefined
  const problem = findEnvelopeProblem(meta)
  if (problem) return problem
  const revision = meta![META.protocolVersion] as string
  const contradiction = findContradiction(http, revision, request.method)
  if (contradiction)
    return { code: RPC.headerMismatch, message: `Headers and body disagree: ${contradiction}` }
  if (!(MODERN_REVISIONS as readonly string[]).includes(revision))
    return {
      code: RPC.unsupportedVersion,
      message: `Unsupported protocol version ${JSON.stringify(revision)}`,
      data: { supported: MODERN_REVISIONS, requested: revision },
    }
  const fault = findHeaderFault(http, request)
  return fault === undefined
    ? undefined
    : { code: RPC.headerMismatch, message: `Headers and body disagree: ${fault}` }
}

function createRun(exchange: Exchange, request: RpcRequest): Run {
  const { tenant } = exchange
  const meta = request.params?._meta as Record<string, unknown>
  const run: Run = {
    exchange,
    request,
    context: new RequestContext(meta, requestedLogLevel(meta)),
    conversation: modernConversation,
    onInputRequired: endWithInputRequired,
    finishResult: result => modernResult(tenant, request.method, result),
    deliver: (body, code) => {
      if (body !== undefined) sendJson(exchange, code === RPC.missingCapability ? 400 : 200, body)
      return body?.length ?? 0
    },
    startedAt: performance.now(),
    isSettled: false,
  }
  run.context.run = run
  return run
}

/** A second try brings the answers to what the first one asked. */
function withAnswers(run: Run, method: Method): Method {
  const { params } = run.request
  if (params?.inputResponses === undefined && params?.requestState === undefined) return method
  return (server, given, context) => {
    readAnswers(run)
    return method(server, given, context)
  }
}
