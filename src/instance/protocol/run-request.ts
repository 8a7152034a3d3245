import type { Exchange } from '../http/exchange.ts'
import { RpcError } from '../prepared-server.ts'
import { RPC, type RpcRequest, rpcError, rpcResult } from './json-rpc.ts'
import type { findMethod, MethodResult } from './methods.ts'
import type { RequestContext } from './request-context.ts'

/** One JSON-RPC request on its way to its answer. */
export interface Run {
  exchange: Exchange
  request: RpcRequest
  context: RequestContext
  /** The result's members with what the era adds. */
  finishResult(result: MethodResult): string
  /** The error as the era says it. */
  finishError?(error: RpcError): RpcError
  /** Sends the answer, or ends the exchange without one (undefined) when the request was cancelled. Returns bytes sent. */
  deliver(body: string | undefined): number
  sessionId?: string | undefined
  startedAt: number
  isSettled: boolean
}

/** Runs the request; whatever happens, `deliver` is called exactly once. `onWaiting` when the answer takes its time. */
export function runRequest(
  run: Run,
  method: NonNullable<ReturnType<typeof findMethod>>,
  onWaiting?: () => void,
): void {
  const { tenant } = run.exchange
  tenant.counters.active++
  try {
    const result = method(tenant.server, run.request.params ?? {}, run.context)
    if (!(result instanceof Promise)) return succeed(run, result)
    tenant.changed()
    onWaiting?.()
    // The last handler takes what goes wrong while the answer is given, too: unhandled it would end the process.
    result.then(value => succeed(run, value)).catch(error => fail(run, error))
  } catch (error) {
    fail(run, error)
  }
}

/** Stops the request and ends its exchange without an answer. Does nothing when it was answered. */
export function cancelRun(run: Run): void {
  if (run.isSettled) return
  run.context.cancel()
  settle(run, undefined, true)
}

function succeed(run: Run, result: MethodResult): void {
  if (!run.isSettled) settle(run, rpcResult(run.request.id, run.finishResult(result)), result.failed)
}

function fail(run: Run, thrown: unknown): void {
  if (run.isSettled) return tellLateFault(run, thrown)
  const error = thrown instanceof RpcError ? thrown : internalError(run, thrown)
  const { code, message, data } = run.finishError?.(error) ?? error
  settle(run, rpcError(run.request.id, code, message, data), true)
}

function internalError(run: Run, thrown: unknown): RpcError {
  tellFault(run, thrown)
  return new RpcError(RPC.internalError, 'Internal error')
}

/** What a cancelled request ends with is of no interest. */
function tellLateFault(run: Run, thrown: unknown): void {
  if (!run.context.isCancelled) tellFault(run, thrown)
}

function tellFault(run: Run, thrown: unknown): void {
  const { log } = run.exchange.tenant
  log.server('error', `${run.request.method} failed: ${(thrown as Error)?.stack ?? String(thrown)}`)
}

function settle(run: Run, body: string | undefined, failed: boolean): void {
  run.isSettled = true
  run.context.finish()
  const { tenant } = run.exchange
  const bytes = run.deliver(body)
  const ms = performance.now() - run.startedAt
  tenant.counters.active--
  tenant.counters.count(ms, failed, Date.now())
  tenant.changed()
  if (body !== undefined) tenant.log.message('out', body, run.sessionId)
  tenant.log.request({
    method: run.request.method,
    tool: toolName(run.request),
    ms,
    failed,
    bytes,
    requestId: String(run.request.id),
    sessionId: run.sessionId,
  })
}

function toolName({ method, params }: RpcRequest): string | undefined {
  return method === 'tools/call' && typeof params?.name === 'string' ? params.name : undefined
}
