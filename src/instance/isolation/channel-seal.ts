import asyncHooks from 'node:async_hooks'
import { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import { replace, SealError } from './denied.ts'
import {
  apply,
  bare,
  define,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  indexOf,
  ownKeys,
  parse,
  setPrototypeOf,
  slice,
  uncurryThis,
} from './intrinsics.ts'

type Send = (
  message: unknown,
  handle?: unknown,
  options?: unknown,
  callback?: (error: Error | null) => void,
) => boolean

/** Node's native handle for the IPC channel (`setupChannel` in lib/internal/child_process.js). */
interface Channel {
  onread(buffer?: ArrayBuffer): unknown
  /** Bytes received since the start. */
  readonly bytesRead: number
  /** A handle that arrived with the data being read. */
  pendingHandle: unknown
}

/** Receives the daemon's messages after the channel is sealed. */
export interface ChannelListener {
  onMessage(message: unknown, handle: unknown): void
  onEnd(): void
}

const { nextTick } = process
const decode = uncurryThis<StringDecoder, [bytes: Uint8Array], string>(StringDecoder.prototype.write as never)
const Bytes = Uint8Array
const ConnectedSocket = Socket as unknown as new (options: object) => Socket

/** Captures the connection to the daemon for code that needs it before `sealChannel`. */
export function openChannel(): { isConnected(): boolean; send: Send } {
  const { _send: send } = process as unknown as { _send: Send }
  let isConnected = process.connected
  process.once('disconnect', () => {
    isConnected = false
  })
  return {
    isConnected: () => isConnected && process.connected,
    // `process.send` fills in the options. Without them, `_send` throws when the channel breaks in the middle of a message, for
    // example when the daemon is killed (lib/internal/child_process.js), and waiting log lines are lost.
    send: (message, handle, options = bare(), callback) =>
      apply(send, process, [message, handle, options, callback]) as boolean,
  }
}

/**
 * Removes the IPC channel from everything that user code can reach, including Node's own JavaScript, which passes messages
 * through `process.emit` and `process.nextTick`. Reads the daemon's messages here instead. If code finds the channel anyway,
 * the daemon still validates everything that the code sends.
 */
export function sealChannel(listener: ChannelListener): void {
  const symbol = symbolOf(process, 'kChannelHandle')
  const channel = symbol && ((process as never)[symbol] as Channel | null)
  if (!channel) throw new SealError("the handle of the daemon's channel was not found.")
  process.channel!.ref() // Listeners keep the process running, and are about to be removed.
  for (const event of ['message', 'internalMessage', 'disconnect']) process.removeAllListeners(event)
  readChannel(channel, listener)
  copyInheritedMethods(channel)
  hideChannel(symbol)
  hideFromAsyncHooks(channel)
}

/** Reads messages, which are lines of JSON. One of Node's own message types carries a handle and is acknowledged. */
function readChannel(channel: Channel, { onMessage, onEnd }: ChannelListener): void {
  const { _send: send } = process as unknown as { _send: Send }
  // The part of an unfinished message that Node has already read.
  const decoder = (memberOf(channel, 'kStringDecoder') as StringDecoder | undefined) ?? new StringDecoder()
  let unfinished = (memberOf(channel, 'kJSONBuffer') as string | undefined) ?? ''
  let handle: unknown
  let received = channel.bytesRead
  const receive = (line: string) => {
    const message = parse(line)
    if (!hasOwn(message, 'cmd')) return deliver(() => onMessage(message, undefined))
    if (message.cmd !== 'NODE_HANDLE') return
    const arrived = handle
    handle = undefined
    const cmd = arrived ? 'NODE_HANDLE_ACK' : 'NODE_HANDLE_NACK'
    apply(send, process, [bare({ cmd }), undefined, bare({ swallowErrors: true })])
    if (arrived) deliver(() => onMessage(message.msg, socketOf(message.type, arrived)))
  }
  channel.onread = buffer => {
    if (channel.pendingHandle) handle = channel.pendingHandle
    channel.pendingHandle = null
    if (buffer === undefined) return deliver(onEnd)
    // Node 26 passes buffers with unused bytes at the end, but only its own code gets their number
    // (lib/internal/child_process.js).
    const before = received
    received = channel.bytesRead
    unfinished += decode(decoder, new Bytes(buffer, 0, received - before))
    let from = 0
    for (let end = indexOf(unfinished, '\n'); end !== -1; end = indexOf(unfinished, '\n', from)) {
      receive(slice(unfinished, from, end))
      from = end + 1
    }
    unfinished = slice(unfinished, from)
  }
}

/** Calls `act` outside the channel's callback, in which asynchronous hooks would find the channel's handle. */
function deliver(act: () => void): void {
  nextTick(act)
}

/** Converts a handle the way Node does (`handleConversion` in lib/internal/child_process.js). */
function socketOf(type: string, handle: unknown): unknown {
  if (type !== 'net.Socket') return handle
  return new ConnectedSocket({ handle, readable: true, writable: true })
}

/** Copies methods from the prototypes, which all sockets share and user code could change. */
function copyInheritedMethods(channel: Channel): void {
  for (let from = getPrototypeOf(channel); from && from !== Object.prototype; from = getPrototypeOf(from))
    for (const key of ownKeys(from)) {
      if (hasOwn(channel, key)) continue
      Object.defineProperty(channel, key, getOwnPropertyDescriptor(from, key)!)
    }
  setPrototypeOf(channel, null)
}

/** Replaces the channel's names with harmless stand-ins, because Node's own code still uses them. */
function hideChannel(symbol: symbol): void {
  for (const name of ['_send', 'disconnect', '_disconnect']) replace(process, name, () => false)
  replace(process, 'send', undefined)
  const pending = symbolOf(process.channel!, 'kPendingMessages')
  // Node looks for messages there when a listener is added.
  replace(process, 'channel', { ref() {}, unref() {}, ...(pending && { [pending]: [] }) })
  Object.defineProperty(process, symbol, { value: null, writable: true, enumerable: false })
  Object.defineProperty(process, '_channel', { value: undefined, configurable: true })
  // User code could otherwise add a queue here and receive what this process sends.
  define(process, '_handleQueue', { value: null, writable: false })
}

/** Hides the channel from asynchronous hooks, which run while it is read and can query the current resource. */
function hideFromAsyncHooks(channel: Channel): void {
  const { executionAsyncResource } = asyncHooks
  replace(asyncHooks, 'executionAsyncResource', () => {
    const resource = executionAsyncResource()
    return resource === channel ? bare() : resource
  })
}

function symbolOf(object: object, description: string): symbol | undefined {
  return Object.getOwnPropertySymbols(object).find(symbol => symbol.description === description)
}

function memberOf(object: object, description: string): unknown {
  const symbol = symbolOf(object, description)
  return symbol && (object as never)[symbol]
}
