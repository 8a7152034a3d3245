import type { Readable, Writable } from 'node:stream'
import { isObject, type JsonObject, RPC, RpcError, tryParseJson } from '../protocol/json-rpc.ts'
import { type PendingRequest, PendingRequests } from './pending-requests.ts'
import { readLines } from './process/line-reader.ts'
import { findResult, toResultText } from './result-text.ts'

/** Maximum size of a message. A longer one is dropped, and its call fails. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024
/** Maximum amount of data waiting for a program that does not read. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024

/** Messages initiated by the program. */
export interface RpcHandlers {
  /** `unwanted` aborts when the program cancels its request. */
  onRequest(method: string, params: JsonObject, unwanted: AbortSignal): Promise<JsonObject>
  onNotification(method: string, params: JsonObject): void
  /** Called for a line that is not a message or answers no request. */
  onNoise(line: string): void
}

/** JSON-RPC 2.0 over a program's standard input and output, one message per line (MCP transports, stdio). */
export class RpcChannel {
  readonly pending = new PendingRequests()
  readonly #stdin: Writable
  readonly #handlers: RpcHandlers
  readonly #unsent: string[] = []
  /** Unanswered requests from the program. */
  readonly #asked = new Map<unknown, AbortController>()
  #failure: Error | undefined

  constructor(stdin: Writable, stdout: Readable, handlers: RpcHandlers) {
    this.#stdin = stdin
    this.#handlers = handlers
    readLines(stdout, {
      maxBytes: MAX_MESSAGE_BYTES,
      onLine: line => this.#receive(line),
      onLongLine: (start, end, bytes) => this.#refuseLongLine(start, end, bytes),
    })
  }

  /** Sends a request and assigns its id. `makeParams` returns `params` as JSON. The answer calls `resolve` or `reject`. */
  send(request: PendingRequest, makeParams: (id: number) => string): void {
    if (this.#failure) return request.reject(this.#failure)
    if (this.#stdin.writableLength > MAX_UNREAD_BYTES)
      return request.reject(
        new RpcError(RPC.refused, 'The program does not read its input. Try again later.'),
      )
    this.pending.add(request)
    const { id, method } = request
    this.#write(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${makeParams(id)}}\n`)
  }

  request(method: string, params: JsonObject = {}): Promise<JsonObject> {
    return new Promise<JsonObject>((resolve, reject) => {
      const [id, context, deadline] = [0, undefined, Number.POSITIVE_INFINITY]
      this.send({ id, method, context, deadline, resolve, reject }, () => JSON.stringify(params))
    })
  }

  notify(method: string, params?: JsonObject): void {
    this.#write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`)
  }

  /** Cancels a request. Its answer, if any, is ignored. */
  cancel(id: number, reason: string): void {
    if (this.pending.take(id)) this.notify('notifications/cancelled', { requestId: id, reason })
  }

  /** Rejects all pending and future requests, because the program has stopped. */
  fail(error: Error): void {
    this.#failure = error
    for (const { reject } of this.pending.takeAll()) reject(error)
  }

  // Messages of one event loop turn are sent in one write.
  #write(message: string): void {
    if (this.#unsent.push(message) === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    const text = this.#unsent.length === 1 ? this.#unsent[0]! : this.#unsent.join('')
    this.#unsent.length = 0
    if (this.#stdin.writable) this.#stdin.write(text)
  }

  #receive(line: string): void {
    if (this.#settleText(line)) return
    const message = parse(line)
    if (message === undefined) {
      if (line.trim() !== '') this.#handlers.onNoise(line)
      return
    }
    // Some servers answer a single message with an array.
    for (const one of Array.isArray(message) ? message : [message]) this.#take(one, line)
  }

  #take(message: unknown, line: string): void {
    if (!isObject(message)) return this.#handlers.onNoise(line)
    const { id, method } = message
    const params = isObject(message.params) ? message.params : {}
    if (typeof method !== 'string') return this.#settle(message, line)
    if (method === 'notifications/cancelled') return this.#asked.get(params.requestId)?.abort()
    if (id === undefined || id === null) return this.#handlers.onNotification(method, params)
    void this.#answer(id as string | number, method, params)
  }

  /** Fast path: most lines are tool results, which are forwarded as text. */
  #settleText(line: string): boolean {
    const answer = findResult(line)
    const request = answer && this.pending.get(answer.id)
    const text = request?.resolveText && toResultText(answer!.result)
    if (!text) return false
    this.pending.take(request.id)
    request.resolveText!(text)
    return true
  }

  #settle(message: JsonObject, line: string): void {
    const request = this.pending.take(message.id)
    if (request) {
      if (isObject(message.result)) request.resolve(message.result)
      else request.reject(toRpcError(message.error))
      // An answer to a cancelled request is ignored.
    } else if (!this.pending.hasAssigned(message.id)) this.#handlers.onNoise(line)
  }

  async #answer(id: string | number, method: string, params: JsonObject): Promise<void> {
    const unwanted = new AbortController()
    this.#asked.set(id, unwanted)
    const answer = await this.#handlers.onRequest(method, params, unwanted.signal).then(
      result => ({ result }),
      error => ({ error: toErrorMember(error) }),
    )
    this.#asked.delete(id)
    if (unwanted.signal.aborted) return
    this.#write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
  }

  #refuseLongLine(start: string, end: string, bytes: number): void {
    this.#handlers.onNoise(`dropped a message of ${bytes} bytes (limit ${MAX_MESSAGE_BYTES})`)
    // All known implementations write the id at one end.
    const id = /"id":\s*(\d+)\s*\}\s*$/.exec(end)?.[1] ?? /^[^[]{0,60}"id":\s*(\d+)/.exec(start)?.[1]
    this.pending
      .take(Number(id))
      ?.reject(
        new RpcError(
          RPC.internalError,
          `The program's answer has ${bytes} bytes, more than the limit of ${MAX_MESSAGE_BYTES}`,
        ),
      )
  }
}

function parse(line: string): unknown {
  if (line.charCodeAt(0) !== 0x7b && line.charCodeAt(0) !== 0x5b && line.trim()[0] !== '{') return undefined
  return tryParseJson(line)
}

function toRpcError(error: unknown): RpcError {
  if (!isObject(error))
    return new RpcError(RPC.internalError, 'The program answered with neither a result nor an error')
  const code = typeof error.code === 'number' ? error.code : RPC.internalError
  return new RpcError(
    code,
    String(error.message ?? 'The program returned an error without a message'),
    error.data,
  )
}

function toErrorMember(error: unknown): JsonObject {
  if (error instanceof RpcError)
    return {
      code: error.code,
      message: error.message,
      ...(error.data === undefined ? {} : { data: error.data }),
    }
  return { code: RPC.internalError, message: error instanceof Error ? error.message : String(error) }
}
