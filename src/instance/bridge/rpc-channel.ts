import type { Readable, Writable } from 'node:stream'
import { RpcError } from '../prepared-server.ts'
import { isObject, RPC } from '../protocol/json-rpc.ts'
import { LineReader } from './lines.ts'
import { type PendingRequest, PendingRequests } from './pending-requests.ts'
import { findResult, toResultText } from './result-text.ts'

/** One message of a program; a longer one is refused, and the call that it answers fails. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024
/** What may wait for a program that does not read. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024

export type Result = Record<string, unknown>

/** What the program says by itself. */
export interface RpcHandlers {
  /** `unwanted`: the program gave its request up. */
  onRequest(method: string, params: Result, unwanted: AbortSignal): Promise<Result>
  onNotification(method: string, params: Result): void
  /** A line that is no message. */
  onNoise(line: string): void
}

/** JSON-RPC 2.0 with a program over its standard input and output, one message a line (MCP transports, stdio). */
export class RpcChannel {
  readonly pending = new PendingRequests()
  readonly #stdin: Writable
  readonly #handlers: RpcHandlers
  readonly #unsent: string[] = []
  /** Requests of the program that wait for their answer. */
  readonly #asked = new Map<unknown, AbortController>()
  #failure: Error | undefined

  constructor(stdin: Writable, stdout: Readable, handlers: RpcHandlers) {
    this.#stdin = stdin
    this.#handlers = handlers
    const reader = new LineReader({
      maxBytes: MAX_MESSAGE_BYTES,
      onLine: line => this.#receive(line),
      onLongLine: (start, end, bytes) => this.#refuseLongLine(start, end, bytes),
    })
    stdout.on('data', chunk => reader.read(chunk))
    stdout.on('end', () => reader.end())
    stdout.on('error', () => {}) // a pipe that breaks tells nothing that the program's end does not
  }

  /** Sends a request and sets its id; `makeParams`: its `params` as JSON. `resolve` or `reject` is called by the answer. */
  send(request: PendingRequest, makeParams: (id: number) => string): void {
    if (this.#failure) return request.reject(this.#failure)
    if (this.#stdin.writableLength > MAX_UNREAD_BYTES)
      return request.reject(new RpcError(RPC.refused, 'The program does not read its input; try again later'))
    this.pending.add(request)
    const { id, method } = request
    this.#write(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${makeParams(id)}}\n`)
  }

  request(method: string, params: Result = {}): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const [id, context, deadline] = [0, undefined, Number.POSITIVE_INFINITY]
      this.send({ id, method, context, deadline, resolve, reject }, () => JSON.stringify(params))
    })
  }

  notify(method: string, params?: Result): void {
    this.#write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`)
  }

  /** Gives a request up: its answer, should it come, is nobody's. */
  cancel(id: number, reason: string): void {
    if (this.pending.take(id)) this.notify('notifications/cancelled', { requestId: id, reason })
  }

  /** Nothing comes any more: all that waits is rejected, and whatever is asked from now on. */
  fail(error: Error): void {
    this.#failure = error
    for (const { reject } of this.pending.takeAll()) reject(error)
  }

  // What is asked within one turn of the event loop goes out in one write.
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
    // Some servers answer with an array where they were sent one message.
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

  /** Most lines are answers to calls of tools, and are passed on as they are. */
  #settleText(line: string): boolean {
    const answer = findResult(line)
    const request = answer && this.pending.get(answer.id)
    const text = request?.resolveText && toResultText(answer!.result)
    if (!text) return false
    this.pending.take(request.id)
    request.resolveText!(text)
    return true
  }

  #settle(message: Result, line: string): void {
    const request = this.pending.take(message.id)
    if (request) {
      if (isObject(message.result)) request.resolve(message.result)
      else request.reject(toRpcError(message.error))
      // An answer that comes after its request was cancelled is none.
    } else if (!this.pending.hasGiven(message.id)) this.#handlers.onNoise(line)
  }

  async #answer(id: string | number, method: string, params: Result): Promise<void> {
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
    this.#handlers.onNoise(`a message of ${bytes} bytes was dropped, at most ${MAX_MESSAGE_BYTES} are taken`)
    // The id stands at one end of what every known implementation writes.
    const id = /"id":\s*(\d+)\s*\}\s*$/.exec(end)?.[1] ?? /^[^[]{0,60}"id":\s*(\d+)/.exec(start)?.[1]
    this.pending
      .take(Number(id))
      ?.reject(
        new RpcError(
          RPC.internalError,
          `The program's answer has ${bytes} bytes, at most ${MAX_MESSAGE_BYTES} are passed on`,
        ),
      )
  }
}

function parse(line: string): unknown {
  if (line.charCodeAt(0) !== 0x7b && line.charCodeAt(0) !== 0x5b && line.trim()[0] !== '{') return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined // told as noise
  }
}

function toRpcError(error: unknown): RpcError {
  if (!isObject(error))
    return new RpcError(RPC.internalError, 'The program answered without result and error')
  const code = typeof error.code === 'number' ? error.code : RPC.internalError
  return new RpcError(code, String(error.message ?? 'The program gave no reason'), error.data)
}

function toErrorMember(error: unknown): Result {
  if (error instanceof RpcError)
    return {
      code: error.code,
      message: error.message,
      ...(error.data === undefined ? {} : { data: error.data }),
    }
  return { code: RPC.internalError, message: error instanceof Error ? error.message : String(error) }
}
