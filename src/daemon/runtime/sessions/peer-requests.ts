import type { FromInstance, ToInstance } from '../../../shared/instances/instance-protocol.ts'
import type { SocketHandle } from '../process/socket-lease.ts'
import { connectTo, type PeerPorts } from './peer-ports.ts'

type MessageOf<Type extends FromInstance['type']> = Extract<FromInstance, { type: Type }>

export interface PeerRequestsOptions {
  ports: PeerPorts
  /** Maximum number of ports that the process may have at the same time. */
  maxPorts: number
  /** `onSent` is called when the process has its own copy of the handle or has exited. */
  send(message: ToInstance, handle?: SocketHandle, onSent?: () => void): void
}

/** Maximum number of connections that are pending or not yet taken by the process. Each is an open file of the daemon. */
const MAX_CONNECTING = 64

/** A port that a tenant requested. `port` is undefined until it is open. */
interface RequestedPort {
  tenantId: string
  seq: number
  port?: number
}

/** Opens peer ports and connections for one process, within limits, because the process may run user code. */
export class PeerRequests {
  readonly #options: PeerRequestsOptions
  /** Port of the server's public address. Requests for the next release are sent there. */
  address: number | undefined
  readonly #ports = new Set<RequestedPort>()
  #connecting = 0
  #isClosed = false

  constructor(options: PeerRequestsOptions) {
    this.#options = options
  }

  async openPort({ tenantId, seq, key }: MessageOf<'open-peer-port'>): Promise<void> {
    const { ports, maxPorts, send } = this.#options
    const answer = (port: number) => ({ type: 'peer-port', tenantId, seq, port }) as const
    if (this.#isClosed || this.#ports.size >= maxPorts) return send(answer(0))
    const requested: RequestedPort = { tenantId, seq }
    this.#ports.add(requested)
    try {
      const { port, handle, release } = await ports.open(key)
      requested.port = port
      if (!this.#ports.has(requested)) ports.forget(port)
      send(answer(port), handle, release)
    } catch {
      this.#ports.delete(requested)
      send(answer(0)) // for example out of file descriptors
    }
  }

  /** Releases the ports that the tenant requested before it retired. If it is already served again, its new ports are kept. */
  retire({ tenantId, lastSeq }: MessageOf<'retired'>): void {
    this.#release([...this.#ports].filter(one => one.tenantId === tenantId && one.seq <= lastSeq))
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
    this.#release(this.#ports)
  }

  #release(requested: Iterable<RequestedPort>): void {
    for (const one of requested) {
      this.#ports.delete(one)
      if (one.port !== undefined) this.#options.ports.forget(one.port)
    }
  }
}
