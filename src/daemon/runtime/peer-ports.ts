import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { SocketHandle } from './loan.ts'

/** A listening socket that is handed to an instance. */
export interface PeerPort {
  port: number
  handle: SocketHandle
  /** Closes the daemon's copy once the instance has its own. */
  release(): void
}

const BACKLOG = 1024

/**
 * Ports of 127.0.0.1 where instances take requests from the other instances of their address. The daemon opens them, because
 * an instance may have its own network namespace, and connects instances that cannot reach the port from theirs. Only
 * holders of the same key reach each other.
 */
export class PeerPorts {
  readonly #keys = new Map<number, string>()

  async open(key: string): Promise<PeerPort> {
    const server = createServer()
    server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    this.#keys.set(port, key)
    const { _handle: handle } = server as unknown as { _handle: SocketHandle }
    return { port, handle, release: () => server.close() }
  }

  /** Undefined when no instance with this key answers there. */
  async connect(port: number, key: string): Promise<Socket | undefined> {
    return this.#keys.get(port) === key ? await connectTo(port) : undefined
  }

  /** The instance that had it has ended. */
  forget(port: number): void {
    this.#keys.delete(port)
  }
}

/** A connection of which nothing has been read. Undefined when nothing answers there. */
export async function connectTo(port: number): Promise<Socket | undefined> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.pause()
  try {
    await once(socket, 'connect')
    return socket
  } catch {
    socket.destroy()
    return undefined
  }
}
