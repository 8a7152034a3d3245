import { HostingError } from '../errors.ts'

/**
 * A `fetch` whose response fails after this number of bytes. The client collects a response, or an event of a stream, in memory,
 * and a server could otherwise send gigabytes.
 */
export function limitedFetch(maxBytes: number): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init)
    return response.body ? new Response(response.body.pipeThrough(limit(maxBytes)), response) : response
  }
}

function limit(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let received = 0
  return new TransformStream({
    transform(chunk, controller) {
      received += chunk.byteLength
      if (received <= maxBytes) controller.enqueue(chunk)
      else
        controller.error(
          new HostingError('UPSTREAM_FAILED', `The response is larger than ${maxBytes} bytes.`),
        )
    },
  })
}
