import { createServer, type Server, type Socket } from 'node:net'
import { NONCE_BYTES, type PeerQuestion, proofOf, REPLY, readBytes, readQuestion } from './handshake.ts'
import type { PeerPort } from './peer-connector.ts'

export interface PeerListenerOptions extends PeerPort {
  key: Buffer
  /** Receives each accepted connection from a peer, ready for its first request. */
  accept(socket: Socket): void
  tenant: Host
}

interface Host {
  readonly isDraining: boolean
  acceptsFromPeer(question: PeerQuestion): boolean
}

/**
 * Accepts requests that other instances of the deployment relay here. A new connection reaches any instance, but only a session's
 * instance knows its pending questions and listeners.
 */
export class PeerListener {
  readonly port: number
  readonly #server: Server

  constructor(options: PeerListenerOptions) {
    this.port = options.port
    this.#server = createServer({ noDelay: true }, socket => void greet(socket, options))
    this.#server.on('error', () => {}) // a connection that cannot be accepted stays in the queue
    this.#server.listen(options.handle).unref()
  }

  /** Stops listening. Open connections stay. */
  close(): void {
    this.#server.close()
  }
}

async function greet(socket: Socket, { key, accept, tenant }: PeerListenerOptions): Promise<void> {
  socket.on('error', () => {}) // A connection may break at any time. Only its 'close' event matters.
  try {
    const proof = proofOf(await readBytes(socket, NONCE_BYTES), key)
    // Only a draining instance can have lost sessions.
    if (!tenant.isDraining) socket.write(Buffer.concat([proof, Buffer.of(REPLY.accepted)]))
    else {
      socket.write(Buffer.concat([proof, Buffer.of(REPLY.whichSession)]))
      if (!tenant.acceptsFromPeer(await readQuestion(socket)))
        return void socket.end(Buffer.of(REPLY.refused))
      socket.write(Buffer.of(REPLY.accepted))
    }
    accept(socket)
  } catch {
    // Not a peer, or a peer that disconnected.
    socket.destroy()
  }
}
