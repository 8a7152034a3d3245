import { Socket, type SocketConstructorOpts } from 'node:net'
import type { FromInstance, ToInstance } from '../../shared/instances/instance-protocol.ts'
import { hasNetworkNamespace } from '../network/network-namespace.ts'
import { connectPeer } from '../network/own-connect.ts'

type MessageOf<Type extends ToInstance['type']> = Extract<ToInstance, { type: Type }>

export interface PeerPort {
  port: number
  /** A socket that already listens on the port. */
  handle: unknown
}

interface PortOwner {
  tenantId: string
  /** Base64, the same for all instances of an address. */
  key: string
}

/** Requests ports for peers from the daemon and, inside a network namespace, connections to peers. */
export class PeerConnector {
  /** Number of the last request. */
  lastSeq = 0
  readonly #send: (message: FromInstance) => void
  readonly #ports = new Map<number, PromiseWithResolvers<PeerPort>>()
  readonly #connections = new Map<number, PromiseWithResolvers<Socket>>()

  constructor(send: (message: FromInstance) => void) {
    this.#send = send
  }

  /** Rejects when the daemon cannot open a port. */
  openPort({ tenantId, key }: PortOwner): Promise<PeerPort> {
    const waiting = Promise.withResolvers<PeerPort>()
    const seq = ++this.lastSeq
    this.#ports.set(seq, waiting)
    this.#send({ type: 'open-peer-port', tenantId, seq, key })
    return waiting.promise
  }

  onPort({ seq, port }: MessageOf<'peer-port'>, handle: unknown): void {
    const waiting = this.#ports.get(seq)
    this.#ports.delete(seq)
    if (handle) waiting?.resolve({ port, handle })
    else waiting?.reject(new Error("The daemon could not open a port for the deployment's other instances."))
  }

  /** Rejects when no peer answers. */
  connect(port: number, { tenantId, key }: PortOwner): Promise<Socket> {
    if (!hasNetworkNamespace) return connectHere(port)
    const waiting = Promise.withResolvers<Socket>()
    const seq = ++this.lastSeq
    this.#connections.set(seq, waiting)
    this.#send({ type: 'reach-peer', tenantId, seq, port, key })
    return waiting.promise
  }

  onConnection({ seq }: MessageOf<'peer-reached'>, socket: Socket | undefined): void {
    const waiting = this.#connections.get(seq)
    this.#connections.delete(seq)
    if (!waiting) socket?.destroy()
    else if (socket) waiting.resolve(socket)
    else waiting.reject(new Error('No peer answers on this port'))
  }
}

function connectHere(port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = new Socket({ noDelay: true } as SocketConstructorOpts)
  connectPeer(socket, port)
  socket.once('error', reject)
  socket.once('connect', () => {
    socket.off('error', reject)
    resolve(socket)
  })
  return promise
}
