import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { ToInstance } from '../../shared/instance-protocol.ts'
import type { HandleSender } from '../engine/handle-sender.ts'
import type { NamedRequest } from './named-request.ts'

export interface HandOver {
  tenantId: string
  /** Accepted and never read from, but for what `named` holds. */
  socket: Socket
  named: NamedRequest | undefined
  /** Called when the process did not take the connection, which is then as it was. */
  giveBack(): void
}

export interface HandOversOptions {
  child: ChildProcess
  handles: HandleSender
  /** A process that leaves a connection alone for so long hangs. */
  patienceMs: number
  onHanging(): void
}

/** A connection that the process has not settled yet. */
interface OnTheWay extends HandOver {
  at: number
  /** Before that libuv holds the descriptor behind it: closed then, another connection could be sent in its stead. */
  isSent: boolean
  outcome: 'taken' | 'lost' | undefined
}

/**
 * Connections on their way to one process. Node would close its copy of a sent handle when the receiver's
 * acknowledgement arrives, but for ever keeps it open when the receiver dies before, and never calls back for those that
 * queue behind it (lib/internal/child_process.js, `_handleQueue`). Hence an acknowledgement of our own, until which the
 * copy stays open: each connection is either taken or given back.
 */
export class HandOvers {
  readonly #options: HandOversOptions
  readonly #onTheWay = new Map<number, OnTheWay>()
  #lastSeq = 0
  #timer: NodeJS.Timeout | undefined
  #broken = false

  constructor(options: HandOversOptions) {
    this.#options = options
  }

  /** False from the first sign of the process's end. */
  get isOpen(): boolean {
    return this.#options.child.connected && !this.#broken
  }

  send(handOver: HandOver): void {
    if (!this.isOpen) return handOver.giveBack()
    const { tenantId, socket, named } = handOver
    const seq = ++this.#lastSeq
    const connection: OnTheWay = { ...handOver, at: Date.now(), isSent: false, outcome: undefined }
    this.#onTheWay.set(seq, connection)
    this.#timer ??= this.#checkIn(this.#options.patienceMs)
    // Node would otherwise keep a list of each server's sockets in each child, and listeners for both.
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

  /** Handles arrive in order: one that was skipped got lost, as happens when the process is out of descriptors. */
  markTaken(seq: number): void {
    for (const sent of this.#onTheWay.keys()) {
      if (sent > seq) return
      this.#settle(sent, sent === seq ? 'taken' : 'lost')
    }
  }

  /** The process has ended, and with it the channel. */
  close(): void {
    this.#broken = true
    clearTimeout(this.#timer)
    for (const [seq, connection] of this.#onTheWay) {
      connection.isSent = true
      this.#settle(seq, 'lost')
    }
  }

  /** What the process says first counts, and it may say it before this side knows that the connection was sent. */
  #settle(seq: number, outcome: 'taken' | 'lost'): void {
    const connection = this.#onTheWay.get(seq)
    if (!connection) return
    connection.outcome ??= outcome
    if (!connection.isSent) return
    this.#onTheWay.delete(seq)
    if (connection.outcome === 'lost') connection.giveBack()
    // This process's copy; the connection lives on in the other one.
    else connection.socket.destroy()
  }

  /** One timer for all of them, set while there are any. */
  #checkIn(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = undefined
      const [oldest] = this.#onTheWay.values()
      if (!oldest) return
      const leftMs = oldest.at + this.#options.patienceMs - Date.now()
      if (leftMs <= 0) this.#options.onHanging()
      else this.#timer = this.#checkIn(leftMs)
    }, delayMs).unref()
  }
}
