import { REPLAY_OF } from '../../shared/instances/log-line.ts'
import { InputRequired } from '../server/input-required.ts'
import {
  isMissingMethod,
  RPC,
  RpcError,
  type RpcRequest,
  rpcError,
  rpcResult,
  tryParseJson,
} from './json-rpc.ts'
import { startKeepAlive, stopKeepAlive } from './keep-alive.ts'
import type { Method, MethodResult } from './methods.ts'
import type { Run } from './run.ts'

/** Runs a request. Calls `deliver` once, when it is answered or cancelled, and `onWaiting` if the answer is asynchronous. */
export function runRequest(run: Run, method: Method, onWaiting?: () => void): void {
  const { tenant } = run.exchange
  tenant.counters.active++
  run.context.run = run
  try {
    const result = method(tenant.server, run.request.params ?? {}, run.context)
    if (!(result instanceof Promise)) return succeed(run, result)
    tenant.changed()
    onWaiting?.()
    startKeepAlive(run)
    follow(run, method, result)
  } catch (error) {
    fail(run, method, error)
  }
}

/** Runs the handler again with the answers to its questions. */
export function runAgain(run: Run, method: Method): void {
  if (run.isSettled) return
  try {
    const result = method(run.exchange.tenant.server, run.request.params ?? {}, run.context)
    if (result instanceof Promise) follow(run, method, result)
    else succeed(run, result)
  } catch (error) {
    fail(run, method, error)
  }
}

/** Cancels a request and closes its exchange without an answer. Does nothing after the answer. */
export function cancelRun(run: Run): void {
  if (run.isSettled) return
  run.context.cancel()
  settle(run, undefined, true)
}

/** Answers a request with these result members, even if its handler is still running. */
export function endRun(run: Run, members: string): void {
  if (run.isSettled) return
  settle(run, rpcResult(run.request.id, members), false)
}

function follow(run: Run, method: Method, result: Promise<MethodResult>): void {
  const answer = (value: MethodResult) => {
    try {
      succeed(run, value)
    } catch (error) {
      fail(run, method, error) // an unhandled rejection would terminate the process
    }
  }
  result.then(answer, error => fail(run, method, error))
}

function succeed(run: Run, result: MethodResult): void {
  if (!run.isSettled) settle(run, rpcResult(run.request.id, run.finishResult(result)), result.failed)
}

function fail(run: Run, method: Method, thrown: unknown): void {
  if (run.isSettled) return logLateError(run, thrown)
  if (thrown instanceof InputRequired && run.onInputRequired) return continueRun(run, method, thrown)
  const error = thrown instanceof RpcError ? thrown : internalError(run, thrown)
  const { code, message, data } = run.finishError?.(error) ?? error
  settle(run, rpcError(run.request.id, code, message, data), true, code)
}

function continueRun(run: Run, method: Method, thrown: InputRequired): void {
  const { onInputRequired } = run
  try {
    const continuation = onInputRequired!(run, thrown, method)
    if (continuation instanceof Promise) continuation.catch(error => fail(run, method, error))
  } catch (error) {
    fail(run, method, error)
  }
}

function internalError(run: Run, thrown: unknown): RpcError {
  logError(run, thrown)
  return new RpcError(RPC.internalError, 'Internal error')
}

/** Logs an error after the answer. Errors after a cancellation, and `InputRequired`, are expected and not logged. */
function logLateError(run: Run, thrown: unknown): void {
  if (!run.context.isCancelled && !(thrown instanceof InputRequired)) logError(run, thrown)
}

function logError(run: Run, thrown: unknown): void {
  const { log } = run.exchange.tenant
  log.server('error', `${run.request.method} failed: ${(thrown as Error)?.stack ?? String(thrown)}`)
}

function settle(run: Run, body: string | undefined, failed: boolean, code?: number): void {
  run.isSettled = true
  run.context.finish()
  run.onSettled?.()
  stopKeepAlive(run)
  const { tenant } = run.exchange
  const bytes = run.deliver(body, code)
  const ms = performance.now() - run.startedAt
  tenant.counters.active--
  const tool = toolName(run.request)
  // Clients probe for methods, so a missing one is not an error of the server.
  const isError = failed && !isMissingMethod(run.request.method, code)
  tenant.counters.count(run.request.method, tool, ms, isError)
  tenant.changed()
  const { request, caller } = run.exchange
  tenant.log.request(
    {
      method: run.request.method,
      tool,
      subject: tool === undefined ? subjectOf(run.request) : undefined,
      ms,
      failed,
      cancelled: body === undefined,
      reason: failed && body !== undefined ? failureReason(body) : undefined,
      code,
      bytes,
      contentLength: request.headers['content-length'],
      requestId: String(run.request.id),
      sessionId: run.sessionId,
      caller: caller?.subject,
      replayOf: run.context.meta[REPLAY_OF],
      arguments: run.request.params?.arguments,
    },
    body,
  )
}

/** Resource or prompt that a request names. */
function subjectOf({ params }: RpcRequest): string | undefined {
  const subject = params?.uri ?? params?.name
  return typeof subject === 'string' ? subject : undefined
}

/** Message of a JSON-RPC error, or first text of a tool error. */
function failureReason(body: string): string | undefined {
  const { error, result } = (tryParseJson(body) ?? {}) as {
    error?: { message?: unknown }
    result?: { content?: { text?: unknown }[] }
  }
  const reason = error ? error.message : result?.content?.[0]?.text
  return typeof reason === 'string' ? reason : undefined
}

function toolName({ method, params }: RpcRequest): string | undefined {
  return method === 'tools/call' && typeof params?.name === 'string' ? params.name : undefined
}
