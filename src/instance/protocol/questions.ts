import { RpcError } from '../prepared-server.ts'
import { isObject, RPC, type RpcAnswer, rpcNotification, rpcRequest } from './json-rpc.ts'

type Answer = Record<string, unknown>
interface Pending {
  resolve(answer: Answer): void
  reject(error: RpcError): void
  release(): void
}

/** Requests of the server to a client of the legacy era that wait for their answers, which the client posts. */
export class Questions {
  readonly #prefix: string
  readonly #pending = new Map<string, Pending>()
  #count = 0

  /** Ids begin with `prefix`. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  get count(): number {
    return this.#pending.size
  }

  /**
   * Sends the request and waits. Rejects with the client's error, or when `signal` aborts or the session ends first; the
   * client is then told that nobody waits any more.
   */
  ask(
    method: string,
    params: Record<string, unknown>,
    send: (message: string) => void,
    signal?: AbortSignal,
  ): Promise<Answer> {
    if (signal?.aborted) return Promise.reject(cancelled(method))
    const id = `${this.#prefix}${++this.#count}`
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const cancel = () => {
      send(rpcNotification('notifications/cancelled', { requestId: id, reason: 'the call was cancelled' }))
      this.#settle(id)?.reject(cancelled(method))
    }
    signal?.addEventListener('abort', cancel, { once: true })
    this.#pending.set(id, { resolve, reject, release: () => signal?.removeEventListener('abort', cancel) })
    send(rpcRequest(id, method, params))
    return promise
  }

  /** False when nobody asked that. */
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
        new RpcError(RPC.internalError, 'the session ended before its client answered'),
      )
  }

  #settle(id: string): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    pending?.release()
    return pending
  }
}

function cancelled(method: string): RpcError {
  return new RpcError(RPC.internalError, `${method} was cancelled`)
}

function toError(error: unknown): RpcError {
  const { code, message, data } = isObject(error) ? error : {}
  return new RpcError(
    typeof code === 'number' ? code : RPC.internalError,
    typeof message === 'string' ? message : 'the client answered with an error',
    data,
  )
}
