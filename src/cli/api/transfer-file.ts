import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, renameSync, rmSync, statSync } from 'node:fs'
import type { ClientRequest } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { HostingError } from '../../shared/errors.ts'
import type { Upload } from './client.ts'

/** Sends a file as the body of a request. Failures surface as the request's `error` event. */
export function sendFile({ file, onProgress }: Upload, outgoing: ClientRequest): void {
  const content = createReadStream(file)
  let sent = 0
  content.on('error', error => outgoing.destroy(error))
  content.on('data', chunk => {
    sent += chunk.length
    onProgress?.(sent)
  })
  // An API that rejects the upload may respond and close before it has read the whole body.
  outgoing.once('close', () => content.destroy())
  content.pipe(outgoing)
}

/** Writes a stream to a file, which appears once it is complete. Returns its size in bytes. */
export async function receiveFile(incoming: Readable, file: string): Promise<number> {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`
  try {
    await pipeline(incoming, createWriteStream(temporary))
    renameSync(temporary, file)
    return statSync(file).size
  } catch (error) {
    rmSync(temporary, { force: true })
    throw new HostingError('UNAVAILABLE', `Could not write ${file}: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}
