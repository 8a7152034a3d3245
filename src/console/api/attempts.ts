import { useRef } from 'preact/hooks'
import { isUnanswered, request } from './client.ts'

interface SendOptions {
  headers?: Record<string, string>
  /** The user's input, if the body also has values that may change between two attempts. */
  input?: unknown
}

/** Sends a POST with an `Idempotency-Key` and returns the data of its answer. */
export type SendOnce = <T>(path: string, body: unknown, options?: SendOptions) => Promise<T>

/**
 * Runs an action that the user may repeat after a lost connection. The requests from the first attempt are then sent again with
 * their `Idempotency-Key`, so they have no second effect. After any other error, the requests are new.
 */
export function useAttempts() {
  const sent = useRef(new Map<string, { key: string; body: unknown }>())
  const send: SendOnce = (path, body, { headers, input = body } = {}) => {
    const content = JSON.stringify([path, input])
    const known = sent.current.get(content) ?? { key: crypto.randomUUID(), body }
    sent.current.set(content, known)
    return request('POST', path, {
      body: known.body,
      headers: { ...headers, 'idempotency-key': known.key },
    })
  }
  return async <T>(perform: (send: SendOnce) => Promise<T>): Promise<T> => {
    try {
      return await perform(send)
    } catch (error) {
      if (!isUnanswered(error)) sent.current.clear()
      throw error
    }
  }
}
