import type { ChildProcess } from 'node:child_process'
import { type ChannelLimits, ChannelMeter, OPEN_LIMITS } from './channel-limits.ts'

/** A process takes a few thousand connections per second with at most one message each. No other message is as frequent. */
const MAX_MESSAGES_PER_SECOND = 20_000
/** Maximum number of lost handles in a row. They are lost when the process is out of file descriptors. */
const MAX_LOST_HANDLES = 20

/** Implemented by HandleSender. */
interface HandleSettler {
  settles(message: unknown): boolean
}

/** Node's side of a channel (see `setupChannel` in lib/internal/child_process.js). */
export interface ChannelHandle {
  bytesWritten?: number
  writeQueueSize?: number
  /** Bytes received since the channel was opened. */
  readonly bytesRead: number
  /** The buffer may have unused bytes at the end. */
  onread(this: ChannelHandle, buffer?: ArrayBuffer): unknown
}

/**
 * Protects this process from what a child writes to its IPC channel. Node parses the lines with `JSON.parse` and accepts forged
 * messages of its internal protocol (`NODE_HANDLE_ACK`). Errors in either would crash the daemon with an uncaught exception.
 * `onViolation` is called once with words that complete a sentence about the child, whose messages are then ignored.
 * Acknowledgements that settle one of `handles` are hidden from Node.
 */
export function guardChannel(
  child: ChildProcess,
  onViolation: (what: string) => void,
  handles?: HandleSettler,
  limits: () => ChannelLimits = () => OPEN_LIMITS,
): void {
  const watch = new ChannelWatch(onViolation, limits)
  guardReading(child, watch)
  guardEvents(child, watch, handles)
}

class ChannelWatch {
  isViolated = false
  readonly #onViolation: (what: string) => void
  readonly #meter: ChannelMeter
  #second = 0
  #count = 0
  #lostHandles = 0

  constructor(onViolation: (what: string) => void, limits: () => ChannelLimits) {
    this.#onViolation = onViolation
    this.#meter = new ChannelMeter(limits)
  }

  violate(what: string): void {
    if (this.isViolated) return
    this.isViolated = true
    this.#onViolation(what)
  }

  onBytes(bytes: Uint8Array): void {
    const problem = this.#meter.take(bytes)
    if (problem !== undefined) this.violate(problem)
  }

  onInternalMessage(message: unknown): void {
    const { cmd } = Object(message) as { cmd?: unknown }
    if (cmd === 'NODE_HANDLE_ACK') this.#lostHandles = 0
    else if (cmd === 'NODE_HANDLE_NACK' && ++this.#lostHandles > MAX_LOST_HANDLES)
      this.violate('had no file descriptor left for a connection')
  }

  onMessage(): void {
    const now = Math.trunc(Date.now() / 1000)
    if (now !== this.#second) [this.#second, this.#count] = [now, 0]
    if (++this.#count > MAX_MESSAGES_PER_SECOND)
      this.violate(`sent the daemon more than ${MAX_MESSAGES_PER_SECOND} messages per second`)
  }
}

function guardReading(child: ChildProcess, watch: ChannelWatch): void {
  const channel = channelHandleOf(child)
  if (!channel) return
  const read = channel.onread
  let received = channel.bytesRead
  channel.onread = function (buffer) {
    if (buffer === undefined) return read.call(this)
    const before = received
    received = channel.bytesRead
    watch.onBytes(new Uint8Array(buffer, 0, received - before))
    if (watch.isViolated) return
    try {
      return read.call(this, buffer)
    } catch {
      watch.violate('sent the daemon a malformed message')
    }
  }
}

function guardEvents(child: ChildProcess, watch: ChannelWatch, handles: HandleSettler | undefined): void {
  const emit = child.emit.bind(child) as (event: string, ...args: unknown[]) => boolean
  child.emit = (event: string, ...args: unknown[]) => {
    if (event !== 'message' && event !== 'internalMessage') return emit(event, ...args)
    if (event === 'internalMessage') {
      watch.onInternalMessage(args[0])
      if (handles?.settles(args[0])) return true
    }
    watch.onMessage()
    if (watch.isViolated) return true
    if (event === 'message') return emit(event, ...args)
    try {
      return emit(event, ...args)
    } catch {
      watch.violate("sent the daemon a forged message of Node's internal protocol")
      return true
    }
  }
}

/** Undefined when the process could not be started. */
export function channelHandleOf(child: ChildProcess): ChannelHandle | undefined {
  const symbol = Object.getOwnPropertySymbols(child).find(
    ({ description }) => description === 'kChannelHandle',
  )
  return symbol === undefined ? undefined : ((child as never)[symbol] as ChannelHandle | undefined)
}
