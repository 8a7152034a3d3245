import type { Socket } from 'node:net'

/** Loaded with the first greeting: a process without one saves a megabyte. */
const crypto = () => process.getBuiltinModule('node:crypto')

/**
 * Before the first byte of a request goes to an instance that a session id names, that instance proves that it has the
 * deployment's key: its port may belong to somebody else by now. `NONCE_BYTES` random bytes there, their HMAC back.
 */
export const NONCE_BYTES = 32
export const PROOF_BYTES = 32
export const GREETING_MS = 2000

export function createNonce(): Buffer {
  return crypto().randomBytes(NONCE_BYTES)
}

export function proofOf(nonce: Buffer, key: Buffer): Buffer {
  return crypto().createHmac('sha256', key).update('peer\n').update(nonce).digest()
}

export function isProof(given: Buffer, nonce: Buffer, key: Buffer): boolean {
  return crypto().timingSafeEqual(given, proofOf(nonce, key))
}

/** Exactly so many bytes, as soon as they are there; what comes after them stays unread. Rejects when they do not come. */
export function readBytes(socket: Socket, count: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const fail = () => reject(new Error('the other side did not greet'))
  const read = () => {
    const bytes = socket.read(count) as Buffer | null
    if (bytes?.length === count) resolve(bytes)
  }
  socket.on('readable', read)
  socket.once('end', fail)
  socket.once('close', fail)
  socket.once('error', fail)
  const timer = setTimeout(fail, GREETING_MS)
  return promise.finally(() => {
    clearTimeout(timer)
    socket.off('readable', read)
    socket.off('end', fail)
    socket.off('close', fail)
    socket.off('error', fail)
  })
}
