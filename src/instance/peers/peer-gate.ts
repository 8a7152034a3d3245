import { Socket, type SocketConstructorOpts } from 'node:net'
import type { FromInstance, ToInstance } from '../../shared/instance-protocol.ts'
import { connectOwn } from '../network/own-connect.ts'
import { hasOwnNetwork } from '../own-network.ts'

type Of<Type extends ToInstance['type']> = Extract<ToInstance, { type: Type }>

export interface PeerPort {
  port: number
  /** Of a socket that listens there already. */
  handle: unknown
}

interface Asker {
  tenantId: string
  /** Base 64, the same in all instances of an address. */
  key: string
}

/** Asks the daemon for a port where peers connect, and, from a network namespace, for connections to theirs. */
export class PeerGate {
  readonly #send: (message: FromInstance) => void
  readonly #ports = new Map<string, PromiseWithResolvers<PeerPort>>()
  readonly #connections = new Map<number, PromiseWithResolvers<Socket>>()
  #lastSeq = 0

  constructor(send: (message: FromInstance) => void) {
    this.#send = send
  }

  /** Rejects when the daemon cannot open one. */
  openPort({ tenantId, key }: Asker): Promise<PeerPort> {
    const waiting = this.#ports.get(tenantId) ?? Promise.withResolvers<PeerPort>()
    if (!this.#ports.has(tenantId)) {
      this.#ports.set(tenantId, waiting)
      this.#send({ type: 'open-peer-port', tenantId, key })
    }
    return waiting.promise
  }

  hearPort({ tenantId, port }: Of<'peer-port'>, handle: unknown): void {
    const waiting = this.#ports.get(tenantId)
    this.#ports.delete(tenantId)
    if (handle) waiting?.resolve({ port, handle })
    else waiting?.reject(new Error('The daemon could not open a port for the deployment’s other instances.'))
  }

  /** Rejects when no peer answers there. */
  connect(port: number, { tenantId, key }: Asker): Promise<Socket> {
    if (!hasOwnNetwork) return connectHere(port)
    const waiting = Promise.withResolvers<Socket>()
    const seq = ++this.#lastSeq
    this.#connections.set(seq, waiting)
    this.#send({ type: 'reach-peer', tenantId, seq, port, key })
    return waiting.promise
  }

  hearReached({ seq }: Of<'peer-reached'>, socket: Socket | undefined): void {
    const waiting = this.#connections.get(seq)
    this.#connections.delete(seq)
    if (!waiting) socket?.destroy()
    else if (socket) waiting.resolve(socket)
    else waiting.reject(new Error('no peer answers there'))
  }
}

function connectHere(port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = new Socket({ noDelay: true } as SocketConstructorOpts)
  connectOwn(socket, { port, host: '127.0.0.1' })
  socket.once('error', reject)
  socket.once('connect', () => {
    socket.off('error', reject)
    resolve(socket)
  })
  return promise
}
