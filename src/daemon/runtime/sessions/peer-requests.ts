import type { FromInstance, ToInstance } from '../../../shared/instances/instance-protocol.ts'
import type { SocketHandle } from '../process/socket-lease.ts'
import { connectTo, type PeerPorts } from './peer-ports.ts'

type MessageOf<Type extends FromInstance['type']> = Extract<FromInstance, { type: Type }>

export interface PeerRequestsOptions {
  ports: PeerPorts
  /** Maximum number of ports that the process may open. */
  maxPorts: number
  /** `onSent` is called when the process has its own copy of the handle or has exited. */
  send(message: ToInstance, handle?: SocketHandle, onSent?: () => void): void
}

/** Maximum number of connections that are pending or not yet taken by the process. Each is an open file of the daemon. */
const MAX_CONNECTING = 64

/** Opens peer ports and connections for one process, within limits, because the process may run user code. */
export class PeerRequests {
  readonly #options: PeerRequestsOptions
  /** Port of the server's public address. Requests for the next release are sent there. */
  address: number | undefined
  readonly #open = new Set<number>()
  /** Includes ports being opened. */
  #ports = 0
  #connecting = 0
  #isClosed = false

  constructor(options: PeerRequestsOptions) {
    this.#options = options
  }

  async openPort({ tenantId, key }: MessageOf<'open-peer-port'>): Promise<void> {
    const { ports, maxPorts, send } = this.#options
    if (this.#ports >= maxPorts) return send({ type: 'peer-port', tenantId, port: 0 })
    this.#ports++
    try {
      const { port, handle, release } = await ports.open(key)
      this.#open.add(port)
      if (this.#isClosed) this.close()
      send({ type: 'peer-port', tenantId, port }, handle, release)
    } catch {
      this.#ports--
      send({ type: 'peer-port', tenantId, port: 0 }) // for example out of file descriptors
    }
  }

  async reach({ tenantId, seq, port, key }: MessageOf<'reach-peer'>): Promise<void> {
    const { ports, send } = this.#options
    const answer: ToInstance = { type: 'peer-reached', tenantId, seq }
    if (this.#connecting >= MAX_CONNECTING) return send(answer)
    this.#connecting++
    const socket = await (port === this.address ? connectTo(port) : ports.connect(port, key))
    if (!socket) {
      this.#connecting--
      return send(answer)
    }
    send(answer, socket as unknown as SocketHandle, () => {
      this.#connecting--
      socket.destroy()
    })
  }

  /** Must be called when the process has exited. */
  close(): void {
    this.#isClosed = true
    for (const port of this.#open) this.#options.ports.forget(port)
  }
}
