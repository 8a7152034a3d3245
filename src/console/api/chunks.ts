import { HostingError } from '../../shared/errors.ts'

/**
 * Yields the bytes of a response, because not every browser can iterate over a stream. Throws UPSTREAM_FAILED after `maxBytes`,
 * because a server could otherwise exhaust the memory of the page.
 */
export async function* chunksOf({ body }: Response, maxBytes = Infinity): AsyncGenerator<Uint8Array> {
  const reader = body!.getReader()
  let received = 0
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      received += value.byteLength
      if (received > maxBytes)
        throw new HostingError('UPSTREAM_FAILED', `The response is larger than ${maxBytes} bytes.`)
      yield value
    }
  } finally {
    // Also ends the request when the reader stops early.
    await reader.cancel().catch(() => {})
  }
}
