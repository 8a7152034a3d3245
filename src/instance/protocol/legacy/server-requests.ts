import { isObject, RPC, type RpcAnswer, RpcError, rpcNotification, rpcRequest } from '../json-rpc.ts'

type Answer = Record<string, unknown>
interface PendingRequest {
  resolve(answer: Answer): void
  reject(error: RpcError): void
  release(): void
}

/** Long enough for people to fill in forms. A client that disappeared must not block its call forever. */
const HANG_TIMEOUT_MS = 15 * 60_000

/** Requests that the server sent to a legacy client and that wait for the client's POST. */
export class ServerRequests {
  readonly #prefix: string
  readonly #hangTimeoutMs: number
  readonly #pending = new Map<string, PendingRequest>()
  #count = 0

  /** Request ids start with `prefix`. */
  constructor(prefix: string, hangTimeoutMs = HANG_TIMEOUT_MS) {
    this.#prefix = prefix
    this.#hangTimeoutMs = hangTimeoutMs
  }

  get count(): number {
    return this.#pending.size
  }

  /**
   * Sends a request and waits for the answer. Rejects with the client's error, or on abort, on timeout, or
   * when the session ends. The client is notified if the answer is no longer needed.
   */
  ask(
    method: string,
    params: Record<string, unknown>,
    send: (message: string) => void,
    signal?: AbortSignal,
  ): Promise<Answer> {
    if (signal?.aborted)
      return Promise.reject(new RpcError(RPC.internalError, `${method}: the call was cancelled`))
    const id = `${this.#prefix}${++this.#count}`
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const giveUp = (reason: string) => {
      send(rpcNotification('notifications/cancelled', { requestId: id, reason }))
      this.#settle(id)?.reject(new RpcError(RPC.internalError, `${method}: ${reason}`))
    }
    const cancel = () => giveUp('the call was cancelled')
    const timer = setTimeout(
      giveUp,
      this.#hangTimeoutMs,
      `the client did not answer within ${this.#hangTimeoutMs / 1000} s`,
    ).unref()
    signal?.addEventListener('abort', cancel, { once: true })
    const release = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    }
    this.#pending.set(id, { resolve, reject, release })
    send(rpcRequest(id, method, params))
    return promise
  }

  /** Returns false when no request has this id. */
  answer({ id, result, error }: RpcAnswer): boolean {
    const pending = this.#settle(String(id))
    if (!pending) return false
    if (isObject(result)) pending.resolve(result)
    else pending.reject(toError(error))
    return true
  }

  close(): void {
    for (const id of [...this.#pending.keys()])
      this.#settle(id)?.reject(
        new RpcError(RPC.internalError, 'The session ended before the client answered'),
      )
  }

  #settle(id: string): PendingRequest | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    pending?.release()
    return pending
  }
}

function toError(error: unknown): RpcError {
  const { code, message, data } = isObject(error) ? error : {}
  return new RpcError(
    typeof code === 'number' ? code : RPC.internalError,
    typeof message === 'string' ? message : 'The client returned an error without a message',
    data,
  )
}
