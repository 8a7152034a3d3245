import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A connection that is still unclaimed after this time is from another program that found the port. */
const UNCLAIMED_MS = 1000

/**
 * Pairs of connected sockets. Decrypted bytes must reach an instance through a connection that can be handed over, which
 * requires an operating-system socket.
 */
export class SocketPairs {
  readonly #server: Server
  /** Accepted ends by the port of the other end. */
  readonly #far = new Map<number, PromiseWithResolvers<Socket>>()

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', far => {
      this.#arrivalAt(far.remotePort!).resolve(far)
      setTimeout(() => this.#dropUnclaimed(far), UNCLAIMED_MS).unref()
    })
  }

  static async open(): Promise<SocketPairs> {
    const server = createServer({ pauseOnConnect: true, noDelay: true })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new SocketPairs(server)
  }

  /** `near` is this process's end. `far` is accepted and unread. */
  async create(): Promise<{ near: Socket; far: Socket }> {
    const { port } = this.#server.address() as { port: number }
    const near = connect({ port, host: '127.0.0.1', noDelay: true })
    near.on('error', () => near.destroy()) // errors can occur before the first write
    await once(near, 'connect')
    const ownPort = near.localPort!
    const far = await this.#arrivalAt(ownPort).promise
    this.#far.delete(ownPort)
    return { near, far }
  }

  close(): void {
    this.#server.close()
  }

  /** Either end may arrive first. */
  #arrivalAt(port: number): PromiseWithResolvers<Socket> {
    const known = this.#far.get(port) ?? Promise.withResolvers<Socket>()
    this.#far.set(port, known)
    return known
  }

  #dropUnclaimed(far: Socket): void {
    if (this.#far.delete(far.remotePort ?? 0)) far.destroy()
  }
}
