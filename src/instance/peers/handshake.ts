import type { Socket } from 'node:net'

/** Loaded on first use, which saves a megabyte in other processes. */
const crypto = () => process.getBuiltinModule('node:crypto')

/**
 * Handshake between instances. Before an instance receives a relayed request, it proves that it has the key of the address, because
 * another process may have its port by then. The caller sends `NONCE_BYTES` random bytes and receives their HMAC and one byte of
 * `REPLY`. For `whichSession`, the caller sends the session and receives a final reply.
 */
export const NONCE_BYTES = 32
export const PROOF_BYTES = 32
export const REPLY_BYTES = 1
const HANDSHAKE_MS = 2000

export const REPLY = {
  /** The instance no longer serves the session. Do not send the request. */
  refused: 0,
  /** Send the request. */
  accepted: 1,
  /** The reply depends on the session. */
  whichSession: 2,
} as const

export interface PeerQuestion {
  /** Session id of the request. */
  session: string
  /** True when no instance of the session's release holds the session, so that one of these instances must take it over. */
  isOrphan: boolean
}

/** Two bytes for the id's length, one for `isOrphan`. */
const QUESTION_HEAD_BYTES = 3

export function createNonce(): Buffer {
  return crypto().randomBytes(NONCE_BYTES)
}

export function proofOf(nonce: Buffer, key: Buffer): Buffer {
  return crypto().createHmac('sha256', key).update('peer\n').update(nonce).digest()
}

export function isProof(given: Buffer, nonce: Buffer, key: Buffer): boolean {
  return crypto().timingSafeEqual(given, proofOf(nonce, key))
}

export function formatQuestion({ session, isOrphan }: PeerQuestion): Buffer {
  const head = Buffer.alloc(QUESTION_HEAD_BYTES)
  head.writeUInt16BE(Buffer.byteLength(session))
  head.writeUInt8(Number(isOrphan), 2)
  return Buffer.concat([head, Buffer.from(session)])
}

export async function readQuestion(socket: Socket): Promise<PeerQuestion> {
  const head = await readBytes(socket, QUESTION_HEAD_BYTES)
  const session = await readBytes(socket, head.readUInt16BE())
  return { session: session.toString(), isOrphan: head[2] === 1 }
}

/** Reads exactly `count` bytes and leaves the rest unread. Rejects when the connection closes or times out first. */
export function readBytes(socket: Socket, count: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const fail = () => reject(new Error('The peer did not answer the handshake'))
  const read = () => {
    const bytes = socket.read(count) as Buffer | null
    if (bytes?.length === count) resolve(bytes)
  }
  socket.on('readable', read)
  socket.once('end', fail)
  socket.once('close', fail)
  socket.once('error', fail)
  const timer = setTimeout(fail, HANDSHAKE_MS)
  read()
  return promise.finally(() => {
    clearTimeout(timer)
    socket.off('readable', read)
    socket.off('end', fail)
    socket.off('close', fail)
    socket.off('error', fail)
  })
}
