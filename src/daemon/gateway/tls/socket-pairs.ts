import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** An end that nobody claims is some other program's, which found the port. */
const UNCLAIMED_MS = 1000

/**
 * Pairs of connected sockets. What is decrypted here must reach an instance as a connection that can be handed over, and
 * only a socket of the system can.
 */
export class SocketPairs {
  readonly #server: Server
  /** Accepted ends by the port of the other one. */
  readonly #far = new Map<number, PromiseWithResolvers<Socket>>()

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', far => {
      this.#awaited(far.remotePort!).resolve(far)
      setTimeout(() => this.#dropUnclaimed(far), UNCLAIMED_MS).unref()
    })
  }

  static async open(): Promise<SocketPairs> {
    const server = createServer({ pauseOnConnect: true, noDelay: true })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new SocketPairs(server)
  }

  /** `near` is ours to write to and read from, `far` accepted and unread. */
  async create(): Promise<{ near: Socket; far: Socket }> {
    const { port } = this.#server.address() as { port: number }
    const near = connect({ port, host: '127.0.0.1', noDelay: true })
    near.on('error', () => near.destroy()) // also before somebody writes to it
    await once(near, 'connect')
    const ownPort = near.localPort!
    const far = await this.#awaited(ownPort).promise
    this.#far.delete(ownPort)
    return { near, far }
  }

  close(): void {
    this.#server.close()
  }

  /** Either end may come first. */
  #awaited(port: number): PromiseWithResolvers<Socket> {
    const known = this.#far.get(port) ?? Promise.withResolvers<Socket>()
    this.#far.set(port, known)
    return known
  }

  #dropUnclaimed(far: Socket): void {
    if (this.#far.delete(far.remotePort ?? 0)) far.destroy()
  }
}
