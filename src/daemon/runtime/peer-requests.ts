import type { FromInstance, ToInstance } from '../../shared/instance-protocol.ts'
import type { SocketHandle } from './loan.ts'
import { connectTo, type PeerPorts } from './peer-ports.ts'

type Asked<Type extends FromInstance['type']> = Extract<FromInstance, { type: Type }>

export interface PeerRequestsOptions {
  ports: PeerPorts
  /** `onSent`: the process has its own copy of the handle, or has ended. */
  send(message: ToInstance, handle?: SocketHandle, onSent?: () => void): void
}

/** Ports of one process. One is enough for a deployment, and a shared process has thousands of those. */
const MAX_PORTS = 10_000
/** Connections that are being made for one process. */
const MAX_CONNECTING = 64

/** Serves what one process asks for to reach its peers. The process may run user code, so all of it is limited. */
export class PeerRequests {
  readonly #options: PeerRequestsOptions
  /** Port of its own public address, where requests go that the next release is to answer. */
  address: number | undefined
  readonly #open = new Set<number>()
  #connecting = 0
  #isClosed = false

  constructor(options: PeerRequestsOptions) {
    this.#options = options
  }

  async openPort({ tenantId, key }: Asked<'open-peer-port'>): Promise<void> {
    const { ports, send } = this.#options
    if (this.#open.size >= MAX_PORTS) return
    try {
      const { port, handle, release } = await ports.open(key)
      this.#open.add(port)
      if (this.#isClosed) this.close()
      send({ type: 'peer-port', tenantId, port }, handle, release)
    } catch {
      send({ type: 'peer-port', tenantId, port: 0 }) // without descriptors to spare, for example
    }
  }

  async reach({ tenantId, seq, port, key }: Asked<'reach-peer'>): Promise<void> {
    const { ports, send } = this.#options
    const answer: ToInstance = { type: 'peer-reached', tenantId, seq }
    if (this.#connecting >= MAX_CONNECTING) return send(answer)
    this.#connecting++
    const socket = await (port === this.address ? connectTo(port) : ports.connect(port, key))
    this.#connecting--
    if (!socket) return send(answer)
    send(answer, socket as unknown as SocketHandle, () => socket.destroy())
  }

  /** The process has ended. */
  close(): void {
    this.#isClosed = true
    for (const port of this.#open) this.#options.ports.forget(port)
  }
}
