import { refuseStream, sendEmpty } from '../../http/responses.ts'
import type { InputRequired } from '../../server/input-required.ts'
import type { ServedTenant, TenantExchange } from '../../tenant/served-tenant.ts'
import type { MessageKind, RequestId, RpcAnswer, RpcNotification, RpcRequest } from '../json-rpc.ts'
import { type Method, toolOf } from '../methods.ts'
import { RequestContext } from '../request-context.ts'
import type { Run } from '../run.ts'
import { runAgain } from '../run-request.ts'
import { callerSession } from './caller-session.ts'
import { initialize } from './initialize.ts'
import { requireSession } from './require-session.ts'
import { legacyError, legacyResult, runLegacy, sendJsonAnswer } from './run-legacy.ts'
import type { Session } from './session.ts'
import { answerRounds, type LegacyRun, legacySideChannel } from './side-channel.ts'

/** Serves one posted message of the legacy era (`initialize` and sessions, up to 2025-11-25). */
export function serveLegacyMessage(
  exchange: TenantExchange,
  kind: MessageKind,
  message: RpcRequest | RpcNotification | RpcAnswer,
): void {
  const call = message as RpcRequest
  if (kind === 'request' && call.method === 'initialize') return initialize(exchange, call)
  const session = requireSession(exchange)
  if (!session) return
  if (kind === 'request') return serveLegacyRequest(exchange, session, call)
  // Accepts responses without a matching request as well (2025-11-25 transports, "Sending Messages to the Server").
  if (kind === 'response') session.serverRequests?.answer(message as RpcAnswer)
  else receiveNotification(exchange.tenant, session, call)
  sendEmpty(exchange, 202)
}

export function receiveNotification(
  tenant: ServedTenant,
  session: Session,
  { method, params }: RpcNotification,
): void {
  if (method === 'notifications/cancelled') return session.running.cancel(params?.requestId as RequestId)
  tenant.server.notified?.(method, params ?? {}, callerSession(tenant, session))
}

function serveLegacyRequest(exchange: TenantExchange, session: Session, request: RpcRequest): void {
  const { tenant } = exchange
  const tool = toolOf(tenant.server, request.method, request.params ?? {})
  if (tool?.streams && !tenant.hasRoomForStream) return refuseStream(exchange, request.id)
  const run: LegacyRun = {
    exchange,
    request,
    context: new RequestContext(request.params?._meta, session.logLevel ?? 'debug'),
    sideChannel: legacySideChannel,
    session,
    finishResult: legacyResult,
    finishError: error => legacyError(error, request.method),
    deliver: body => sendJsonAnswer(exchange, body),
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
