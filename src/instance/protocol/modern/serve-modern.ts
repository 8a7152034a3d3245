import type { LogLevel } from '../../../shared/definitions/definitions.ts'
import { META, MODERN_REVISIONS } from '../../../shared/modern-envelope.ts'
import { refuse, refuseStream, sendEmpty, sendJson } from '../../http/responses.ts'
import type { TenantExchange } from '../../tenant/served-tenant.ts'
import { type RequestId, RPC, type RpcNotification, type RpcRequest } from '../json-rpc.ts'
import { findMethod, type Method, missingMethod, toolOf } from '../methods.ts'
import { RequestContext } from '../request-context.ts'
import type { Run } from '../run.ts'
import { cancelRun, runRequest } from '../run-request.ts'
import { findEnvelopeProblem } from './envelope.ts'
import { findContradiction, findHeaderFault } from './header-check.ts'
import { serveListen } from './listen.ts'
import { findParamFault } from './param-headers.ts'
import { discover, modernResult } from './result.ts'
import { endWithInputRequired, modernSideChannel, readAnswers } from './side-channel.ts'

/** Serves a request of the stateless era since 2026-07-28. Every request describes its client. */
export function serveModernRequest(exchange: TenantExchange, request: RpcRequest): void {
  const { tenant } = exchange
  const refusal = findRefusal(exchange, request)
  if (refusal) return refuseModern(exchange, refusal, request.id)
  if (request.method === 'subscriptions/listen') return serveListen(exchange, request)
  const method =
    request.method === 'server/discover' ? () => discover(tenant) : findMethod(tenant.server, request.method)
  if (!method) return runRequest(createRun(exchange, request, 404), missingMethod)
  const tool = toolOf(tenant.server, request.method, request.params ?? {})
  const fault = tool && findParamFault(exchange.request, tool, request.params?.arguments)
  if (fault) return refuseModern(exchange, mismatch(fault), request.id)
  if (tool?.streams && !tenant.hasRoomForStream) return refuseStream(exchange, request.id)
  const run = createRun(exchange, request)
  if (tool?.streams) run.context.openSink()
  // In this era a client cancels by closing the connection.
  runRequest(run, withAnswers(run, method), () => exchange.response.once('close', () => cancelRun(run)))
}

/** Accepts and ignores notifications, because they do not concern a server without sessions. */
export function serveModernNotification(exchange: TenantExchange, message: RpcNotification): void {
  const claimed = (message.params?._meta as Record<string, unknown> | undefined)?.[META.protocolVersion]
  const fault =
    typeof claimed === 'string' ? findContradiction(exchange.request, claimed, message.method) : undefined
  if (fault) return refuseModern(exchange, mismatch(fault))
  sendEmpty(exchange, 202)
}

export function refuseModern(exchange: TenantExchange, refusal: Refusal, id: RequestId | null = null): void {
  refuse(exchange, 400, { ...refusal, id })
}

interface Refusal {
  code: number
  message: string
  data?: unknown
}

function mismatch(fault: string): Refusal {
  return { code: RPC.headerMismatch, message: `Headers and body disagree: ${fault}` }
}

function findRefusal({ request: http }: TenantExchange, request: RpcRequest): Refusal | undefined {
  const meta = request.params?._meta as Record<string, unknown> | undefined
  const problem = findEnvelopeProblem(meta)
  if (problem) return problem
  const revision = meta![META.protocolVersion] as string
  const contradiction = findContradiction(http, revision, request.method)
  if (contradiction) return mismatch(contradiction)
  if (!(MODERN_REVISIONS as readonly string[]).includes(revision))
    return {
      code: RPC.unsupportedVersion,
      message: `Unsupported protocol version ${JSON.stringify(revision)}. Supported: ${MODERN_REVISIONS.join(', ')}.`,
      data: { supported: MODERN_REVISIONS, requested: revision },
    }
  const fault = findHeaderFault(http, request)
  return fault === undefined ? undefined : mismatch(fault)
}

/** `status`: HTTP status of the answer, unless an error has its own. */
function createRun(exchange: TenantExchange, request: RpcRequest, status = 200): Run {
  const { tenant } = exchange
  const meta = request.params?._meta as Record<string, unknown>
  const run: Run = {
    exchange,
    request,
    context: new RequestContext(meta, meta[META.logLevel] as LogLevel | undefined),
    sideChannel: modernSideChannel,
    onInputRequired: endWithInputRequired,
    finishResult: result => modernResult(tenant, request.method, result),
    deliver: (body, code) =>
      body === undefined ? 0 : sendJson(exchange, code === RPC.missingCapability ? 400 : status, body),
    startedAt: performance.now(),
    isSettled: false,
  }
  run.context.run = run
  return run
}

/** Reads the answers in a repeated request before its handler runs again. */
function withAnswers(run: Run, method: Method): Method {
  const { params } = run.request
  if (params?.inputResponses === undefined && params?.requestState === undefined) return method
  return (server, given, context) => {
    readAnswers(run)
    return method(server, given, context)
  }
}
