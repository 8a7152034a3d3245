import { header } from '../../http/headers.ts'
import { refuse, sendEmpty, sendJson } from '../../http/responses.ts'
import type { TenantExchange } from '../../tenant/served-tenant.ts'
import { isObject, messageKind, RPC, type RpcNotification, type RpcRequest } from '../json-rpc.ts'
import { hasClaim } from '../modern/envelope.ts'
import { RequestContext } from '../request-context.ts'
import { FIRST_WITHOUT_BATCHES, isModernRevision } from '../revisions.ts'
import { requireSession } from './require-session.ts'
import { legacyError, legacyResult, runLegacy } from './run-legacy.ts'
import { receiveNotification } from './serve-legacy.ts'
import type { Session } from './session.ts'
import { batchSideChannel, type LegacyRun } from './side-channel.ts'

const MAX_MESSAGES = 100

/** Serves several messages in one POST. Introduced in 2025-03-26, removed in 2025-06-18. */
export function serveBatch(exchange: TenantExchange, messages: unknown[]): void {
  const fault = findProblem(exchange, messages)
  if (fault) return refuseBatch(exchange, fault)
  const session = requireSession(exchange)
  if (!session) return
  if (session.revision >= FIRST_WITHOUT_BATCHES)
    return refuseBatch(exchange, `revision ${session.revision} allows one message per request`)
  runBatch(exchange, session, messages as (RpcRequest | RpcNotification)[])
}

function findProblem(exchange: TenantExchange, messages: unknown[]): string | undefined {
  const revision = header(exchange.request, 'mcp-protocol-version') ?? ''
  if (isModernRevision(revision)) return `revision ${revision} allows one message per request`
  if (messages.length === 0) return 'it is empty'
  if (messages.length > MAX_MESSAGES)
    return `it has ${messages.length} messages, more than the limit of ${MAX_MESSAGES}`
  if (messages.some(message => messageKind(message) === 'invalid'))
    return 'it contains something that is not a JSON-RPC message'
  if (messages.some(message => isObject(message) && message.method === 'initialize'))
    return 'initialize must be sent alone'
  if (messages.some(message => isObject(message) && isObject(message.params) && hasClaim(message.params)))
    return 'it contains a request in a revision without batches'
  return undefined
}

/** Answers all requests in one JSON array, in request order. The array cannot carry log messages or progress. */
function runBatch(
  exchange: TenantExchange,
  session: Session,
  messages: (RpcRequest | RpcNotification)[],
): void {
  const requests = messages.filter(message => messageKind(message) === 'request') as RpcRequest[]
  for (const message of messages)
    if (messageKind(message) === 'notification') receiveNotification(exchange.tenant, session, message)
  if (requests.length === 0) return sendEmpty(exchange, 202)
  const answers: (string | undefined)[] = []
  let waiting = requests.length
  requests.forEach((request, index) => {
    const deliver = (body: string | undefined): number => {
      answers[index] = body
      if (--waiting === 0) sendAnswers(exchange, answers)
      return Buffer.byteLength(body ?? '')
    }
    const run: LegacyRun = {
      exchange,
      request,
      context: new RequestContext(request.params?._meta, undefined),
      sideChannel: batchSideChannel,
      session,
      finishResult: legacyResult,
      finishError: error => legacyError(error, request.method),
      deliver,
      sessionId: session.label,
      startedAt: performance.now(),
      isSettled: false,
    }
    runLegacy(run, session)
  })
}

function sendAnswers(exchange: TenantExchange, answers: (string | undefined)[]): void {
  const given = answers.filter(answer => answer !== undefined)
  if (given.length === 0) sendEmpty(exchange, 202)
  else sendJson(exchange, 200, `[${given.join(',')}]`)
}

function refuseBatch(exchange: TenantExchange, reason: string): void {
  refuse(exchange, 400, {
    code: RPC.invalidRequest,
    message: `Invalid Request: the batch was refused because ${reason}`,
  })
}
