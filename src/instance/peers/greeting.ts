import type { Socket } from 'node:net'

/** Loaded with the first greeting: a process without one saves a megabyte. */
const crypto = () => process.getBuiltinModule('node:crypto')

/**
 * Before the first byte of a request goes to an instance that a session id names, that instance proves that it has the
 * deployment's key: its port may belong to somebody else by now. `NONCE_BYTES` random bytes there, their HMAC back, and a
 * byte of `REPLY`. What is asked to say which session it is hears that, and replies once more.
 */
export const NONCE_BYTES = 32
export const PROOF_BYTES = 32
export const REPLY_BYTES = 1
const GREETING_MS = 2000

export const REPLY = {
  /** Its sessions are others' by now: no request is to come here. */
  away: 0,
  /** The request may come. */
  welcome: 1,
  /** It depends on the session. */
  whose: 2,
} as const

export interface PeerQuestion {
  /** Id of the session that a request is of. */
  session: string
  /** No instance of the release that began it has it any more: one of them is to take it over. */
  isOrphan: boolean
}

/** Length of the id and whether it is an orphan, two bytes and one. */
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
  read()
  return promise.finally(() => {
    clearTimeout(timer)
    socket.off('readable', read)
    socket.off('end', fail)
    socket.off('close', fail)
    socket.off('error', fail)
  })
}
