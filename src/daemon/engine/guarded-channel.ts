import type { ChildProcess } from 'node:child_process'
import { type ChannelLimits, ChannelMeter, OPEN_LIMITS } from './channel-limits.ts'
import type { HandleSender } from './handle-sender.ts'

/** A process takes some thousand connections a second, each with a message or less; nothing else comes as often. */
const MAX_MESSAGES_A_SECOND = 20_000
/** Handles in a row that did not arrive: the process has no descriptor left for a connection. */
const MAX_LOST_HANDLES = 20

/** Node's side of a channel, `setupChannel` in lib/internal/child_process.js. */
export interface ChannelHandle {
  bytesWritten?: number
  writeQueueSize?: number
  onread(this: ChannelHandle, bytes?: ArrayBuffer): unknown
}

/**
 * Keeps what a child writes to its IPC channel from harming this process. Node parses the lines with `JSON.parse` and
 * obeys forged messages of its own protocol (`NODE_HANDLE_ACK`), both outside of anybody's reach: either would end the
 * daemon as an uncaught exception. `onViolation` is called once, with what the child did as the rest of a sentence about
 * it; nothing of it is heard from then on. What settles one of `handles` is not Node's to hear.
 */
export function guardChannel(
  child: ChildProcess,
  onViolation: (what: string) => void,
  handles?: Pick<HandleSender, 'settles'>,
  limits: () => ChannelLimits = () => OPEN_LIMITS,
): void {
  const watch = new ChannelWatch(onViolation, limits)
  guardReading(child, watch)
  guardEvents(child, watch, handles)
}

class ChannelWatch {
  isDeaf = false
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
    if (this.isDeaf) return
    this.isDeaf = true
    this.#onViolation(what)
  }

  bytes(chunk: ArrayBuffer): void {
    const problem = this.#meter.take(new Uint8Array(chunk))
    if (problem !== undefined) this.violate(problem)
  }

  /** Node's answer to a handle. */
  handle(message: unknown): void {
    const { cmd } = Object(message) as { cmd?: unknown }
    if (cmd === 'NODE_HANDLE_ACK') this.#lostHandles = 0
    else if (cmd === 'NODE_HANDLE_NACK' && ++this.#lostHandles > MAX_LOST_HANDLES)
      this.violate('had no file descriptor left for a connection')
  }

  message(): void {
    const now = Math.trunc(Date.now() / 1000)
    if (now !== this.#second) [this.#second, this.#count] = [now, 0]
    if (++this.#count > MAX_MESSAGES_A_SECOND)
      this.violate(`sent the daemon more than ${MAX_MESSAGES_A_SECOND} messages a second`)
  }
}

function guardReading(child: ChildProcess, watch: ChannelWatch): void {
  const channel = channelHandleOf(child)
  if (!channel) return
  const read = channel.onread
  channel.onread = function (bytes) {
    if (bytes === undefined) return read.call(this)
    watch.bytes(bytes)
    if (watch.isDeaf) return
    try {
      return read.call(this, bytes)
    } catch {
      watch.violate('sent the daemon what is no message')
    }
  }
}

function guardEvents(
  child: ChildProcess,
  watch: ChannelWatch,
  handles: Pick<HandleSender, 'settles'> | undefined,
): void {
  const emit = child.emit.bind(child) as (event: string, ...args: unknown[]) => boolean
  child.emit = (event: string, ...args: unknown[]) => {
    if (event !== 'message' && event !== 'internalMessage') return emit(event, ...args)
    if (event === 'internalMessage') {
      watch.handle(args[0])
      if (handles?.settles(args[0])) return true
    }
    watch.message()
    if (watch.isDeaf) return true
    if (event === 'message') return emit(event, ...args)
    try {
      return emit(event, ...args)
    } catch {
      watch.violate("sent the daemon a forged message of Node's own")
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
