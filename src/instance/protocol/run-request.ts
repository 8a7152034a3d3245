import type { Exchange } from '../http/exchange.ts'
import { InputRequired, RpcError } from '../prepared-server.ts'
import type { Conversation } from './conversation.ts'
import { RPC, type RpcRequest, rpcError, rpcResult } from './json-rpc.ts'
import type { findMethod, MethodResult } from './methods.ts'
import { addQuiet, type QuietRequest, removeQuiet } from './quiet-requests.ts'
import type { RequestContext } from './request-context.ts'

/** One JSON-RPC request on its way to its answer. */
export interface Run extends QuietRequest {
  exchange: Exchange
  request: RpcRequest
  context: RequestContext
  /** What it can do besides answering; without one nothing. */
  conversation?: Conversation
  /** The result's members with what the era adds. */
  finishResult(result: MethodResult): string
  /** The error as the era says it. */
  finishError?(error: RpcError): RpcError
  /** Goes on with a call that ended with questions. Throws or rejects with what the call fails of. */
  onInputRequired?(run: Run, thrown: InputRequired, method: Method): void | Promise<void>
  /**
   * Sends the answer, or ends the exchange without one (undefined) when the request was cancelled. `code`: that of an error.
   * Returns bytes sent.
   */
  deliver(body: string | undefined, code?: number): number
  onSettled?(): void
  sessionId?: string | undefined
  isSettled: boolean
}

export type Method = NonNullable<ReturnType<typeof findMethod>>

/** Runs the request; whatever happens, `deliver` is called exactly once. `onWaiting` when the answer takes its time. */
export function runRequest(run: Run, method: Method, onWaiting?: () => void): void {
  const { tenant } = run.exchange
  tenant.counters.active++
  run.context.run = run
  try {
    const result = method(tenant.server, run.request.params ?? {}, run.context)
    if (!(result instanceof Promise)) return succeed(run, result)
    tenant.changed()
    onWaiting?.()
    addQuiet(run)
    follow(run, method, result)
  } catch (error) {
    fail(run, method, error)
  }
}

/** Runs the handler anew, with what it asked for. */
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

/** Stops the request and ends its exchange without an answer. Does nothing when it was answered. */
export function cancelRun(run: Run): void {
  if (run.isSettled) return
  run.context.cancel()
  settle(run, undefined, true)
}

/** Ends the request with these members as its result, whatever its handler still does. */
export function endRun(run: Run, members: string): void {
  if (run.isSettled) return
  settle(run, rpcResult(run.request.id, members), false)
}

function follow(run: Run, method: Method, result: Promise<MethodResult>): void {
  const answer = (value: MethodResult) => {
    try {
      succeed(run, value)
    } catch (error) {
      fail(run, method, error) // unhandled it would end the process
    }
  }
  result.then(answer, error => fail(run, method, error))
}

function succeed(run: Run, result: MethodResult): void {
  if (!run.isSettled) settle(run, rpcResult(run.request.id, run.finishResult(result)), result.failed)
}

function fail(run: Run, method: Method, thrown: unknown): void {
  if (run.isSettled) return tellLateFault(run, thrown)
  if (thrown instanceof InputRequired && run.onInputRequired) return goOn(run, method, thrown)
  const error = thrown instanceof RpcError ? thrown : internalError(run, thrown)
  const { code, message, data } = run.finishError?.(error) ?? error
  settle(run, rpcError(run.request.id, code, message, data), true, code)
}

function goOn(run: Run, method: Method, thrown: InputRequired): void {
  const { onInputRequired } = run
  try {
    const going = onInputRequired!(run, thrown, method)
    if (going instanceof Promise) going.catch(error => fail(run, method, error))
  } catch (error) {
    fail(run, method, error)
  }
}

function internalError(run: Run, thrown: unknown): RpcError {
  tellFault(run, thrown)
  return new RpcError(RPC.internalError, 'Internal error')
}

/** What a request ends with that was cancelled, or that ended with a question, is of no interest. */
function tellLateFault(run: Run, thrown: unknown): void {
  if (!run.context.isCancelled && !(thrown instanceof InputRequired)) tellFault(run, thrown)
}

function tellFault(run: Run, thrown: unknown): void {
  const { log } = run.exchange.tenant
  log.server('error', `${run.request.method} failed: ${(thrown as Error)?.stack ?? String(thrown)}`)
}

function settle(run: Run, body: string | undefined, failed: boolean, code?: number): void {
  run.isSettled = true
  run.context.finish()
  run.onSettled?.()
  removeQuiet(run)
  const { tenant } = run.exchange
  const bytes = run.deliver(body, code)
  const ms = performance.now() - run.startedAt
  tenant.counters.active--
  const tool = toolName(run.request)
  tenant.counters.count(run.request.method, tool, ms, failed)
  tenant.changed()
  if (body !== undefined) tenant.log.message('out', body, run.sessionId)
  tenant.log.request({
    method: run.request.method,
    tool,
    ms,
    failed,
    bytes,
    requestId: String(run.request.id),
    sessionId: run.sessionId,
    arguments: run.request.params?.arguments,
  })
}

function toolName({ method, params }: RpcRequest): string | undefined {
  return method === 'tools/call' && typeof params?.name === 'string' ? params.name : undefined
}
