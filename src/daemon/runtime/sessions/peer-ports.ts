import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { SocketHandle } from '../process/socket-lease.ts'

/** A listening socket for an instance. */
export interface PeerPort {
  port: number
  handle: SocketHandle
  /** Closes the daemon's copy. Must be called when the instance has its own. */
  release(): void
}

const BACKLOG = 1024

/**
 * Ports on 127.0.0.1 on which instances accept requests from other instances at the same address. An instance may have its own
 * network namespace, so the daemon opens the ports and connects instances that cannot reach them. Only holders of the
 * same key reach each other.
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

  /** Undefined when no instance with this key listens on the port. */
  async connect(port: number, key: string): Promise<Socket | undefined> {
    return this.#keys.get(port) === key ? await connectTo(port) : undefined
  }

  /** Must be called when the instance has stopped. */
  forget(port: number): void {
    this.#keys.delete(port)
  }
}

/** An unread connection. Undefined when nothing answers on the port. */
export async function connectTo(port: number): Promise<Socket | undefined> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.pause()
  socket.on('error', () => {}) // the connection may break before its process receives it
  try {
    await once(socket, 'connect')
    return socket
  } catch {
    socket.destroy()
    return undefined
  }
}
