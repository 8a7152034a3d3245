import type { CallerSession, ClientContext, ClientFacts } from '../server/client-context.ts'
import type { InputRequired } from '../server/input-required.ts'
import type { TenantExchange } from '../tenant/served-tenant.ts'
import type { RpcError, RpcRequest } from './json-rpc.ts'
import type { KeepAliveRequest } from './keep-alive.ts'
import type { Method, MethodResult } from './methods.ts'

/** A JSON-RPC request that is being answered. */
export interface Run extends KeepAliveRequest {
  exchange: TenantExchange
  request: RpcRequest
  context: RunContext
  /** Absent when the request only supports an answer. */
  sideChannel?: SideChannel
  /** Adds what the era requires to the result's members. */
  finishResult(result: MethodResult): string
  /** Converts an error to the era's format. */
  finishError?(error: RpcError): RpcError
  /** Continues a call that ended with questions. Throws or rejects with the reason when the call fails. */
  onInputRequired?(run: Run, thrown: InputRequired, method: Method): void | Promise<void>
  /**
   * Sends the answer, or closes the exchange without one (undefined) when the request was cancelled. `code` is the error code.
   * Returns the size of the answer in bytes.
   */
  deliver(body: string | undefined, code?: number): number
  onSettled?(): void
  sessionId?: string | undefined
  isSettled: boolean
}

/** Sends a serialized JSON-RPC message that belongs to a running request. */
export type NotificationSink = (message: string) => void

/** Context of a run, also used by the protocol layer. */
export interface RunContext extends ClientContext {
  /** Without a run, the request can only be answered. */
  run: Run | undefined
  readonly isRunning: boolean
  readonly isCancelled: boolean
  /** Opens the stream for notifications if needed. Undefined when there can be no stream. */
  openSink(): NotificationSink | undefined
  cancel(): void
  /** Must be called when the request is answered. Later notifications are dropped. */
  finish(): void
}

/** Side channel of a running request (progress, logging, questions to the client). One per protocol era, and one for batches. */
export interface SideChannel {
  /** Turns the answer into an event stream. Undefined when there is no room for another stream. */
  open(run: Run): NotificationSink | undefined
  client(run: Run): ClientFacts
  session(run: Run): CallerSession | undefined
  ask(
    run: Run,
    method: string,
    params: Record<string, unknown>,
    key: string | undefined,
    unwanted?: AbortSignal,
  ): Promise<Record<string, unknown>>
  inputResponses(run: Run): Record<string, Record<string, unknown>> | undefined
  requestState(run: Run): unknown
  closeStream(run: Run, retryMs: number | undefined): void
}
