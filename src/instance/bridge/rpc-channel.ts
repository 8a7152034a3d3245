import type { Readable, Writable } from 'node:stream'
import { type ClientContext, RpcError } from '../prepared-server.ts'
import { isObject, RPC } from '../protocol/json-rpc.ts'
import { LineReader } from './lines.ts'

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

/** A request that the program has not answered yet. */
export interface PendingRequest {
  id: number
  method: string
  /** The call of a client that it was made for; undefined for requests of our own. */
  context: ClientContext | undefined
  /** Unix milliseconds. */
  deadline: number
  resolve(result: Result): void
  reject(error: unknown): void
}

/** JSON-RPC 2.0 with a program over its standard input and output, one message a line (MCP transports, stdio). */
export class RpcChannel {
  readonly pending = new Map<number, PendingRequest>()
  readonly #stdin: Writable
  readonly #handlers: RpcHandlers
  readonly #unsent: string[] = []
  /** Requests of the program that wait for their answer. */
  readonly #asked = new Map<unknown, AbortController>()
  #lastId = 0
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

  /** Sends a request and gives its id; `makeParams`: its `params` as JSON. `resolve` or `reject` is called by the answer. */
  send(request: Omit<PendingRequest, 'id'>, makeParams: (id: number) => string): number {
    const id = ++this.#lastId
    if (this.#failure) {
      request.reject(this.#failure)
      return id
    }
    if (this.#stdin.writableLength > MAX_UNREAD_BYTES) {
      request.reject(new RpcError(RPC.refused, 'The program does not read its input; try again later'))
      return id
    }
    this.pending.set(id, { ...request, id })
    this.#write(`{"jsonrpc":"2.0","id":${id},"method":"${request.method}","params":${makeParams(id)}}\n`)
    return id
  }

  request(method: string, params: Result = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      const request = { method, context: undefined, deadline: Number.POSITIVE_INFINITY, resolve, reject }
      this.send(request, () => JSON.stringify(params))
    })
  }

  notify(method: string, params?: Result): void {
    this.#write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`)
  }

  /** Gives a request up: its answer, should it come, is nobody's. */
  cancel(id: number, reason: string): void {
    if (this.pending.delete(id)) this.notify('notifications/cancelled', { requestId: id, reason })
  }

  /** Nothing comes any more: all that waits is rejected, and whatever is asked from now on. */
  fail(error: Error): void {
    this.#failure = error
    const waiting = [...this.pending.values()]
    this.pending.clear()
    for (const { reject } of waiting) reject(error)
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

  #settle(message: Result, line: string): void {
    const pending = this.pending.get(message.id as number)
    if (pending) {
      this.pending.delete(pending.id)
      if (isObject(message.result)) pending.resolve(message.result)
      else pending.reject(toRpcError(message.error))
      // An answer that comes after its request was cancelled is none.
    } else if (typeof message.id !== 'number' || message.id > this.#lastId) this.#handlers.onNoise(line)
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
    const pending = this.pending.get(Number(id))
    if (!pending) return
    this.pending.delete(pending.id)
    pending.reject(
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
