import type { ChildProcess, SendHandle } from 'node:child_process'
import type { ToInstance } from '../../shared/instance-protocol.ts'
import { type ChannelHandle, channelHandleOf } from './guarded-channel.ts'

/** What waits until a handle is acknowledged, in `setupChannel` of Node's lib/internal/child_process.js. */
interface NodeQueue {
  _handleQueue?: unknown[] | null
}

/** A socket of Linux takes so much whole or not at all, with its handle (`UNIX_SKB_FRAGS_SZ` in net/unix/af_unix.c: 32 KB). */
const ONE_PIECE_BYTES = 16 * 1024
/** Node reads 64 KB at a time (libuv, `uv__read`). */
const ONE_READ_BYTES = 48 * 1024
/** A quarter of what fills the socket; the system limits what all processes of a user have under way (unix(7), ETOOMANYREFS). */
const MOST_UNAWAITED = 64

/**
 * Sends handles to a process one after the other. Node lets nothing follow a handle, no other message either, until the
 * process has acknowledged it: each connection then costs a turn of both processes, while both have other work to do.
 *
 * It has two reasons. Its copy of the handle is closed then: ours stays open until the process says that it took the
 * connection (runtime/hand-over.ts). And Node's reader takes the handle that came last for that of the message that it has
 * read to its end: a connection would reach another server if a second handle came before that end. So one is followed at
 * once only where its message cannot be cut in two, neither by the socket nor by the buffer of the reader, whom Linux gives
 * one handle a read and nothing behind it. A longer one, one before which much was sent, one for which the socket has no
 * room, and all of them on other systems are waited for.
 */
export class HandleSender {
  readonly #child: ChildProcess
  readonly #channel: Pick<ChannelHandle, 'bytesWritten' | 'writeQueueSize'> | undefined
  /** Sent, not acknowledged, and waited for by nobody. */
  #unawaited = 0
  /** Written when the last handle was sent. */
  #bytes = 0

  constructor(child: ChildProcess) {
    this.#child = child
    if (process.platform === 'linux') this.#channel = channelHandleOf(child)
  }

  /** `callback`: until then the handle must not be closed, for libuv may still hold what it stands for. */
  send(message: ToInstance, handle: SendHandle, callback: (error: Error | null) => void): void {
    const queue = this.#child as NodeQueue
    const wasWaiting = Array.isArray(queue._handleQueue)
    const before = this.#written
    this.#child.send(message, handle, { keepOpen: true }, callback)
    const after = this.#written
    const [own, sinceLast] = [after - before, after - this.#bytes]
    this.#bytes = after
    // Node queued it behind another one; or the connection was gone, and the message went alone.
    if (wasWaiting || !Array.isArray(queue._handleQueue)) return
    const isWhole = own <= ONE_PIECE_BYTES && sinceLast <= ONE_READ_BYTES
    if (!isWhole || this.#channel?.writeQueueSize !== 0 || this.#unawaited >= MOST_UNAWAITED) return
    queue._handleQueue = null
    this.#unawaited++
  }

  /** Whether a message of Node's own is for a handle that nobody waits for: such ones come before those that are awaited. */
  settles(message: unknown): boolean {
    const { cmd } = Object(message) as { cmd?: unknown }
    if (this.#unawaited === 0 || (cmd !== 'NODE_HANDLE_ACK' && cmd !== 'NODE_HANDLE_NACK')) return false
    this.#unawaited--
    return true
  }

  /** Not a number where it is not known: all handles are waited for then. */
  get #written(): number {
    return this.#channel?.bytesWritten ?? Number.NaN
  }
}
