import { createReadStream } from 'node:fs'
import type { ClientRequest } from 'node:http'
import type { Upload } from './api-client.ts'

/** Sends a file as the body of a request. Faults come as the request's own `error`. */
export function sendFile({ file, onProgress }: Upload, outgoing: ClientRequest): void {
  const content = createReadStream(file)
  let sent = 0
  content.on('error', error => outgoing.destroy(error))
  content.on('data', chunk => {
    sent += chunk.length
    onProgress?.(sent)
  })
  // An API that refuses answers before it has everything, and then takes no more.
  outgoing.once('close', () => content.destroy())
  content.pipe(outgoing)
}
