import type { ChildProcess, SendHandle } from 'node:child_process'
import type { ToInstance } from '../../shared/instances/instance-protocol.ts'
import { type ChannelHandle, channelHandleOf } from './guarded-channel.ts'

/** Messages that wait for a handle's acknowledgement, see `setupChannel` in Node's lib/internal/child_process.js. */
interface NodeQueue {
  _handleQueue?: unknown[] | null
}

/** With a handle, Linux sends up to 32 KB atomically (`UNIX_SKB_FRAGS_SZ` in net/unix/af_unix.c). */
const ATOMIC_BYTES = 16 * 1024
/** Node reads 64 KB at a time (libuv, `uv__read`). */
const ONE_READ_BYTES = 48 * 1024
/** A quarter of the socket's capacity. The system limits handles in flight per user (unix(7), ETOOMANYREFS). */
const MAX_UNAWAITED = 64

/**
 * Sends handles to a process without waiting for each acknowledgement. Node sends nothing after a handle until the process
 * has acknowledged it, so each connection costs a round trip between two busy processes.
 *
 * Node has two reasons to wait. First, it closes its copy of the handle after the acknowledgement. Our copy stays open until
 * the process reports that it took the connection (runtime/process/hand-over.ts). Second, Node's reader assigns the last
 * received handle to the message that it has read completely. If a second handle arrived before the end of the first
 * message, a connection would reach the wrong server.
 *
 * So the next handle follows immediately only if the message cannot be split, neither by the socket nor by the reader's
 * buffer (Linux returns at most one handle per read and nothing after it). Otherwise it waits: for long messages, after
 * many bytes since the last handle, when the socket is full, and on other systems.
 */
export class HandleSender {
  readonly #child: ChildProcess
  readonly #channel: Pick<ChannelHandle, 'bytesWritten' | 'writeQueueSize'> | undefined
  /** Number of sent handles whose acknowledgement Node does not wait for. */
  #unawaited = 0
  /** Bytes written up to the last handle. */
  #bytes = 0

  constructor(child: ChildProcess) {
    this.#child = child
    if (process.platform === 'linux') this.#channel = channelHandleOf(child)
  }

  /** The handle must stay open until `callback`, because libuv may still hold its descriptor number. */
  send(message: ToInstance, handle: SendHandle, callback: (error: Error | null) => void): void {
    const queue = this.#child as NodeQueue
    const wasWaiting = Array.isArray(queue._handleQueue)
    const before = this.#written
    this.#child.send(message, handle, { keepOpen: true }, callback)
    const after = this.#written
    const [own, sinceLast] = [after - before, after - this.#bytes]
    this.#bytes = after
    // Node queued the message behind another one, or the connection was closed and the message was sent without it.
    if (wasWaiting || !Array.isArray(queue._handleQueue)) return
    const isWhole = own <= ATOMIC_BYTES && sinceLast <= ONE_READ_BYTES
    if (!isWhole || this.#channel?.writeQueueSize !== 0 || this.#unawaited >= MAX_UNAWAITED) return
    queue._handleQueue = null
    this.#unawaited++
  }

  /** True when Node's internal message acknowledges an unawaited handle. All of these are acknowledged before awaited ones. */
  settles(message: unknown): boolean {
    const { cmd } = Object(message) as { cmd?: unknown }
    if (this.#unawaited === 0 || (cmd !== 'NODE_HANDLE_ACK' && cmd !== 'NODE_HANDLE_NACK')) return false
    this.#unawaited--
    return true
  }

  /** NaN when unknown. Then every handle is awaited. */
  get #written(): number {
    return this.#channel?.bytesWritten ?? Number.NaN
  }
}
