import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { HostingError } from '../../shared/errors.ts'
import { fetchByProxy } from '../api/fetch-by-proxy.ts'
import { isUrl } from '../project/remote-server.ts'

const TIMEOUT_MS = 30_000
const MAX_BYTES = 20 * 1024 * 1024

/** Name of a description in messages: its URL, or the name of its file. */
export function sourceName(source: string): string {
  return isUrl(source) ? source : basename(source)
}

/** Text of a description at a path or URL. Throws INVALID_REQUEST. */
export async function readText(source: string): Promise<string> {
  try {
    return isUrl(source) ? await download(source) : readFileSync(source, 'utf8')
  } catch (error) {
    throw new HostingError('INVALID_REQUEST', `Could not read ${source}: ${reasonOf(error)}.`, {
      cause: error,
    })
  }
}

async function download(url: string): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetchByProxy(url, { signal, headers: { Accept: 'application/json, */*;q=0.8' } })
  if (!response.ok) throw new Error(`the server answered with status ${response.status}`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1024 / 1024} MB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** `fetch` reports the reason only in the cause of its error. */
function reasonOf(error: unknown): string {
  const { message, name, cause } = error as Error
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`
  return cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code || message : message
}
