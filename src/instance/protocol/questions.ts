import { RpcError } from '../prepared-server.ts'
import { isObject, RPC, type RpcAnswer, rpcNotification, rpcRequest } from './json-rpc.ts'

type Answer = Record<string, unknown>
interface Pending {
  resolve(answer: Answer): void
  reject(error: RpcError): void
  release(): void
}

/** People answer forms, but a client that went away must not hold its call for ever. */
const PATIENCE_MS = 15 * 60_000

/** Requests of the server to a client of the legacy era that wait for their answers, which the client posts. */
export class Questions {
  readonly #prefix: string
  readonly #patienceMs: number
  readonly #pending = new Map<string, Pending>()
  #count = 0

  /** Ids begin with `prefix`. */
  constructor(prefix: string, patienceMs = PATIENCE_MS) {
    this.#prefix = prefix
    this.#patienceMs = patienceMs
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
      this.#patienceMs,
      `no answer came within ${this.#patienceMs / 1000} s`,
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

function toError(error: unknown): RpcError {
  const { code, message, data } = isObject(error) ? error : {}
  return new RpcError(
    typeof code === 'number' ? code : RPC.internalError,
    typeof message === 'string' ? message : 'the client answered with an error',
    data,
  )
}
