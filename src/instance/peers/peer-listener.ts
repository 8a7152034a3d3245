import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { NONCE_BYTES, proofOf, readBytes } from './greeting.ts'

/**
 * Where other instances of the same deployment bring requests of the sessions that this one holds: a connection is given
 * to any instance, but what a session asked its client, and who listens for it, only its own instance knows.
 */
export class PeerListener {
  readonly port: number
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
  }

  /** `accept` gets each connection of a peer, ready for its first request. */
  static async open(key: Buffer, accept: (socket: Socket) => void): Promise<PeerListener> {
    const server = createServer({ noDelay: true }, socket => void greet(socket, key, accept))
    server.listen(0, '127.0.0.1').unref()
    await once(server, 'listening')
    return new PeerListener(server)
  }

  /** Connections that are open stay. */
  close(): void {
    this.#server.close()
  }
}

async function greet(socket: Socket, key: Buffer, accept: (socket: Socket) => void): Promise<void> {
  socket.on('error', () => {}) // a connection may break at any time; its 'close' is what counts
  try {
    const nonce = await readBytes(socket, NONCE_BYTES)
    socket.write(proofOf(nonce, key))
    accept(socket)
  } catch {
    // Nobody who belongs here.
    socket.destroy()
  }
}
