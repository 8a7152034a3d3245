import type { ToInstance } from '../../../shared/instances/instance-protocol.ts'

/** The native handle of a listening socket, as sent and received over the IPC channel. */
export type SocketHandle = { close(): void }

/**
 * A listening socket that its owner can share with the only instance behind it. Both hold the same kernel socket with one
 * accept queue, so no connection is refused or lost when either side stops accepting or its process exits.
 */
export interface ShareableSocket {
  /** Returns the socket's handle and records the lease, so that the owner can end it. Undefined if unavailable. */
  offer(lease: { end(): void }): SocketHandle | undefined
  /** The instance now accepts connections, so the owner stops accepting. `kept`: handle of the same socket for `reclaim`. */
  onLeased(kept: SocketHandle): void
  /** The lease is over, so the owner accepts connections again. */
  reclaim(): void
}

/**
 * A lease is reviewed at this interval. It ends if the instance has accepted fewer than `MIN_ACCEPTED` connections since the
 * last review.
 */
const REVIEW_EVERY_MS = 1000
const MIN_ACCEPTED = 50

type Send = (message: ToInstance, handle?: SocketHandle) => void

/** The leases of one process, at most one per tenant. */
export class SocketLeases {
  readonly #send: Send
  readonly #byId = new Map<number, { tenantId: string; lease: SocketLease }>()
  #lastId = 0

  constructor(send: Send) {
    this.#send = send
  }

  start(tenantId: string, socket: ShareableSocket): void {
    const leaseId = ++this.#lastId
    const lease = new SocketLease(socket, () => {
      this.#byId.delete(leaseId)
      this.#send({ type: 'give-back', tenantId, leaseId })
    })
    const handle = socket.offer(lease)
    if (!handle) return
    this.#byId.set(leaseId, { tenantId, lease })
    this.#send({ type: 'lease', tenantId, leaseId }, handle)
  }

  /** Closes the handle if the lease has already ended. */
  onAccepted(leaseId: number, kept: SocketHandle | undefined): void {
    const known = this.#byId.get(leaseId)
    if (known) known.lease.onAccepted(kept)
    else kept?.close()
  }

  renew(leaseId: number, connections: number): void {
    this.#byId.get(leaseId)?.lease.renew(connections)
  }

  end(tenantId: string): void {
    for (const known of [...this.#byId.values()]) if (known.tenantId === tenantId) known.lease.end()
  }

  endAll(): void {
    for (const { lease } of [...this.#byId.values()]) lease.end()
  }
}

/**
 * A listening socket that an instance uses during a burst of connections. Each hand-over involves two processes and several
 * messages, which limits hand-overs to a few thousand per second. An instance that accepts connections itself has no such limit.
 */
class SocketLease {
  readonly #socket: ShareableSocket
  readonly #revoke: () => void
  #state: 'offered' | 'leased' | 'ended' = 'offered'
  #connections = 0
  #review: NodeJS.Timeout | undefined

  constructor(socket: ShareableSocket, revoke: () => void) {
    this.#socket = socket
    this.#revoke = revoke
  }

  onAccepted(kept: SocketHandle | undefined): void {
    if (!kept) return this.end()
    if (this.#state !== 'offered') return kept.close()
    this.#state = 'leased'
    this.#review = setInterval(() => this.#endIfIdle(), REVIEW_EVERY_MS).unref()
    this.#socket.onLeased(kept)
  }

  /** `connections`: accepted since the last report. */
  renew(connections: number): void {
    this.#connections += connections
  }

  /** The owner accepts before the instance stops, so there is no gap. */
  end(): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    clearInterval(this.#review)
    this.#socket.reclaim()
    this.#revoke()
  }

  #endIfIdle(): void {
    if (this.#connections < MIN_ACCEPTED) this.end()
    this.#connections = 0
  }
}
