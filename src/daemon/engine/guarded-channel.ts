import type { ChildProcess } from 'node:child_process'
import type { HandleSender } from './handle-sender.ts'

/** Bytes of one message; the description of a large server has a few million. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024
/** A process takes some thousand connections a second, each with a message or less; nothing else comes as often. */
const MAX_MESSAGES_A_SECOND = 20_000

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
): void {
  const watch = new ChannelWatch(onViolation)
  guardReading(child, watch)
  guardEvents(child, watch, handles)
}

class ChannelWatch {
  isDeaf = false
  readonly #onViolation: (what: string) => void
  #unfinishedBytes = 0
  #second = 0
  #count = 0

  constructor(onViolation: (what: string) => void) {
    this.#onViolation = onViolation
  }

  violate(what: string): void {
    if (this.isDeaf) return
    this.isDeaf = true
    this.#onViolation(what)
  }

  bytes(count: number): void {
    this.#unfinishedBytes += count
    if (this.#unfinishedBytes > MAX_MESSAGE_BYTES)
      this.violate(`sent the daemon a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB`)
  }

  message(): void {
    this.#unfinishedBytes = 0
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
    watch.bytes(bytes.byteLength)
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
    if (event === 'internalMessage' && handles?.settles(args[0])) return true
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
