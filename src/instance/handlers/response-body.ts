import type { Dispatcher } from 'undici'
import { HandlerError } from './handler.ts'

export interface HttpResponse {
  status: number
  /** Names in lower case, repeated ones joined with a comma (RFC 9110 5.3). */
  headers: Record<string, string>
  body: Buffer
}

/** Reads an answer to its end, or throws a HandlerError as soon as it is larger than `maxBytes`. */
export async function readLimited(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<HttpResponse> {
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop destroys the stream, and with it the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes)
      throw new HandlerError(`the answer is larger than maxResponseBytes (${maxBytes} bytes)`)
    chunks.push(chunk)
  }
  return { status: statusCode, headers: joinHeaders(headers), body: Buffer.concat(chunks, size) }
}

function joinHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
}
