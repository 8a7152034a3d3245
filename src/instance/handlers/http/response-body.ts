import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { HandlerError } from '../handler.ts'

export interface HttpResponse {
  status: number
  /** Names in lower case. Repeated headers are joined with commas (RFC 9110 5.3). */
  headers: Record<string, string>
  body: Buffer
}

type Decompress = (
  packed: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, body: Buffer) => void,
) => void

/** Content codings (RFC 9110 8.4.1), for servers that compress even though the request forbids it. */
const CODINGS: Record<string, Decompress> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: inflate,
  br: brotliDecompress,
  zstd: zstdDecompress,
}

/** Reads a response. Throws a HandlerError as soon as it exceeds `maxBytes`, compressed or unpacked. */
export async function readLimited(
  { statusCode, headers: raw, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<HttpResponse> {
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop destroys the stream and its connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  const headers = joinHeaders(raw)
  const received = Buffer.concat(chunks, size)
  return { status: statusCode, headers, body: await unpack(received, headers['content-encoding'], maxBytes) }
}

async function unpack(body: Buffer, coding: string | undefined, maxBytes: number): Promise<Buffer> {
  const decompress = CODINGS[coding?.trim().toLowerCase() ?? '']
  if (!decompress || body.length === 0) return body
  try {
    return await promisify(decompress)(body, { maxOutputLength: maxBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
    throw new HandlerError(`the response has Content-Encoding ${coding}, but it cannot be decompressed`)
  }
}

function tooLarge(maxBytes: number): HandlerError {
  return new HandlerError(`the response is larger than maxResponseBytes (${maxBytes} bytes)`)
}

function joinHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
}
