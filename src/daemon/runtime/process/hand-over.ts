import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { ToInstance } from '../../../shared/instances/instance-protocol.ts'
import type { HandleSender } from '../../engine/handle-sender.ts'
import type { NamedRequest } from './named-request.ts'

export interface HandOver {
  tenantId: string
  /** Accepted and unread, except for the bytes in `named`. */
  socket: Socket
  named: NamedRequest | undefined
  /** Called when the process did not accept the connection, which is still unread. */
  onLost(): void
}

export interface HandOversOptions {
  child: ChildProcess
  handles: HandleSender
  /** A process that does not accept a connection within this time is reported as hanging. */
  hangTimeoutMs: number
  onHanging(): void
}

/** A connection that the process has not acknowledged yet. */
interface PendingHandOver extends HandOver {
  sentAt: number
  /**
   * False while libuv still needs the connection's descriptor number. After an early close, the number could belong to
   * another connection.
   */
  isSent: boolean
  outcome: 'taken' | 'lost' | undefined
}

/**
 * Connections being handed over to one process. Node closes its copy of a sent handle when the receiver acknowledges it. If the
 * receiver dies first, Node keeps the copy open forever and never invokes the callbacks of the handles queued behind it
 * (lib/internal/child_process.js, `_handleQueue`). Therefore the copy stays open until our own acknowledgement, and each
 * connection is either taken or given back.
 */
export class HandOvers {
  readonly #options: HandOversOptions
  readonly #pending = new Map<number, PendingHandOver>()
  #lastSeq = 0
  #timer: NodeJS.Timeout | undefined
  #broken = false

  constructor(options: HandOversOptions) {
    this.#options = options
  }

  /** False as soon as the process shows signs of having exited. */
  get isOpen(): boolean {
    return this.#options.child.connected && !this.#broken
  }

  send(handOver: HandOver): void {
    if (!this.isOpen) return handOver.onLost()
    const { tenantId, socket, named } = handOver
    const seq = ++this.#lastSeq
    const connection: PendingHandOver = { ...handOver, sentAt: Date.now(), isSent: false, outcome: undefined }
    this.#pending.set(seq, connection)
    this.#timer ??= this.#checkIn(this.#options.hangTimeoutMs)
    // Otherwise Node would keep, for each server and child process, a list of the sent sockets, with listeners.
    ;(socket as { server?: unknown }).server = undefined
    const read = named && { ...named, head: named.head.toString('base64') }
    const message: ToInstance = { type: 'connection', tenantId, seq, ...read }
    this.#options.handles.send(message, socket, error => {
      if (error) this.#broken = true
      connection.isSent = true
      const outcome = error ? 'lost' : connection.outcome
      if (outcome) this.#settle(seq, outcome)
    })
  }

  /** Handles arrive in order. A skipped handle was lost, for example because the process is out of descriptors. */
  markTaken(seq: number): void {
    for (const sent of this.#pending.keys()) {
      if (sent > seq) return
      this.#settle(sent, sent === seq ? 'taken' : 'lost')
    }
  }

  /** Must be called when the process has exited and its channel has closed. */
  close(): void {
    this.#broken = true
    clearTimeout(this.#timer)
    for (const [seq, connection] of this.#pending) {
      connection.isSent = true
      this.#settle(seq, 'lost')
    }
  }

  /** The first outcome counts. It may arrive before the send is confirmed. */
  #settle(seq: number, outcome: 'taken' | 'lost'): void {
    const connection = this.#pending.get(seq)
    if (!connection) return
    connection.outcome ??= outcome
    if (!connection.isSent) return
    this.#pending.delete(seq)
    if (connection.outcome === 'lost') connection.onLost()
    else connection.socket.destroy() // closes this process's copy only
  }

  /** One timer for all connections, set while there are any. */
  #checkIn(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = undefined
      const [oldest] = this.#pending.values()
      if (!oldest) return
      const leftMs = oldest.sentAt + this.#options.hangTimeoutMs - Date.now()
      if (leftMs <= 0) this.#options.onHanging()
      else this.#timer = this.#checkIn(leftMs)
    }, delayMs).unref()
  }
}
