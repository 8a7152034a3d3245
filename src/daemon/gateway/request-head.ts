import type { Socket } from 'node:net'
import { stopReading } from '../runtime/pool/socket-reading.ts'
import type { NamedRequest } from '../runtime/process/named-request.ts'

/** The limit of Node's HTTP server and of the instances (instance/http/http-server.ts). */
const MAX_HEAD_BYTES = 16 * 1024
const HEAD_WAIT_MS = 15_000

export type Problem = 'too-large' | 'no-host' | 'too-late' | 'gone'
export type Head = NamedRequest | { problem: Problem }

/**
 * Reads the first request of a connection until its host is known. Leaves later bytes in the kernel, because another
 * process will get the connection. Never rejects.
 */
export function readHead(socket: Socket): Promise<Head> {
  return new Promise(resolve => {
    let read: Buffer = Buffer.alloc(0)
    const deadline = setTimeout(() => finish({ problem: 'too-late' }), HEAD_WAIT_MS)
    const finish = (head: Head) => {
      clearTimeout(deadline)
      socket.off('data', onData).off('close', onGone).off('error', onGone)
      stopReading(socket)
      resolve(head)
    }
    const onGone = () => finish({ problem: 'gone' })
    const onData = (chunk: Buffer) => {
      read = read.length === 0 ? chunk : Buffer.concat([read, chunk])
      const end = read.indexOf('\r\n\r\n')
      if (end < 0 && read.length <= MAX_HEAD_BYTES) return
      if (end < 0) return finish({ problem: 'too-large' })
      const host = findHost(read.toString('latin1', 0, end))
      finish(host === undefined ? { problem: 'no-host' } : { head: read, host })
    }
    socket.on('data', onData).once('close', onGone).once('error', onGone)
    socket.resume()
  })
}

/**
 * The `Host` of a request's head, in lower case. Undefined for a malformed head, and unless there is exactly one `Host` (RFC 9112
 * section 3.2).
 */
export function findHost(head: string): string | undefined {
  const [line = '', ...fields] = head.split('\r\n')
  if (!/^[A-Z]+ \/\S* HTTP\/1\.[01]$/.test(line)) return undefined
  const hosts = fields.flatMap(field => /^host:[ \t]*([^\s]*)[ \t]*$/i.exec(field)?.[1] ?? [])
  const [host] = hosts
  return hosts.length === 1 && host && /^[\w.-]+(?::\d{1,5})?$/.test(host) ? host.toLowerCase() : undefined
}
