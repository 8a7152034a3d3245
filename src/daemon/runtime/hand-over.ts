import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { ToInstance } from '../../shared/instance-protocol.ts'
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
  /** A process that leaves a connection alone for so long hangs. */
  patienceMs: number
  onHanging(): void
}

/**
 * Connections on their way to one process. Node would close its copy of a sent handle when the receiver's
 * acknowledgement arrives, but for ever keeps it open when the receiver dies before, and never calls back for those that
 * queue behind it (lib/internal/child_process.js, `_handleQueue`). Hence `keepOpen` and an acknowledgement of our own:
 * each connection is either taken or given back. It also hands over more connections a second than Node's own way.
 */
export class HandOvers {
  readonly #options: HandOversOptions
  readonly #untaken = new Map<number, HandOver & { at: number }>()
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
    this.#untaken.set(seq, { ...handOver, at: Date.now() })
    this.#timer ??= this.#checkIn(this.#options.patienceMs)
    // Node would otherwise keep a list of each server's sockets in each child, and listeners for both.
    ;(socket as { server?: unknown }).server = undefined
    const read = named && { ...named, head: named.head.toString('base64') }
    const message: ToInstance = { type: 'connection', tenantId, seq, ...read }
    this.#options.child.send(message, socket, { keepOpen: true }, error => {
      if (!error) return
      this.#broken = true
      this.#giveBack(seq)
    })
  }

  /** Handles arrive in order: one that was skipped got lost, as happens when the process is out of descriptors. */
  markTaken(seq: number): void {
    for (const [untaken, { socket }] of this.#untaken) {
      if (untaken > seq) return
      if (untaken < seq) this.#giveBack(untaken)
      else {
        this.#untaken.delete(seq)
        socket.destroy() // this process's copy; the connection lives on in the other one
      }
    }
  }

  /** The process has ended. */
  close(): void {
    this.#broken = true
    clearTimeout(this.#timer)
    for (const seq of [...this.#untaken.keys()]) this.#giveBack(seq)
  }

  #giveBack(seq: number): void {
    const handOver = this.#untaken.get(seq)
    this.#untaken.delete(seq)
    handOver?.giveBack()
  }

  /** One timer for all of them, set while there are any. */
  #checkIn(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = undefined
      const [oldest] = this.#untaken.values()
      if (!oldest) return
      const leftMs = oldest.at + this.#options.patienceMs - Date.now()
      if (leftMs <= 0) this.#options.onHanging()
      else this.#timer = this.#checkIn(leftMs)
    }, delayMs).unref()
  }
}
