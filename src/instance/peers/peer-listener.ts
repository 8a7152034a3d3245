import { createServer, type Server, type Socket } from 'node:net'
import { NONCE_BYTES, type PeerQuestion, proofOf, REPLY, readBytes, readQuestion } from './greeting.ts'
import type { PeerPort } from './peer-gate.ts'

export interface PeerListenerOptions extends PeerPort {
  key: Buffer
  /** Gets each connection of a peer, ready for its first request. */
  accept(socket: Socket): void
  /** The instance that listens. */
  tenant: Host
}

interface Host {
  readonly isDraining: boolean
  takesFromPeer(question: PeerQuestion): boolean
}

/**
 * Where other instances of the same deployment bring requests of the sessions that this one holds: a connection is given
 * to any instance, but what a session asked its client, and who listens for it, only its own instance knows.
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

  /** Connections that are open stay. */
  close(): void {
    this.#server.close()
  }
}

async function greet(socket: Socket, { key, accept, tenant }: PeerListenerOptions): Promise<void> {
  socket.on('error', () => {}) // a connection may break at any time; its 'close' is what counts
  try {
    const proof = proofOf(await readBytes(socket, NONCE_BYTES), key)
    // Only who drains has sessions that are not its any more.
    if (!tenant.isDraining) socket.write(Buffer.concat([proof, Buffer.of(REPLY.welcome)]))
    else {
      socket.write(Buffer.concat([proof, Buffer.of(REPLY.whose)]))
      if (!tenant.takesFromPeer(await readQuestion(socket))) return void socket.end(Buffer.of(REPLY.away))
      socket.write(Buffer.of(REPLY.welcome))
    }
    accept(socket)
  } catch {
    // Nobody who belongs here.
    socket.destroy()
  }
}
