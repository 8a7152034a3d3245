import { replace, SealError } from './denied.ts'

interface Message {
  cmd?: unknown
}

type Send = (
  message: unknown,
  handle?: unknown,
  options?: unknown,
  callback?: (error: Error | null) => void,
) => boolean
type Channel = { onread(bytes?: ArrayBuffer): unknown }

const HIDDEN_EVENTS: readonly unknown[] = ['message', 'internalMessage', 'disconnect']

/** Keeps the way to the daemon for those who ask before `sealChannel`. */
export function openChannel(): { isConnected(): boolean; send: Send } {
  const { _send: send } = process as unknown as { _send: Send }
  let isConnected = process.connected
  process.once('disconnect', () => {
    isConnected = false
  })
  return {
    isConnected: () => isConnected && process.connected,
    // `process.send` fills the options in. Without them `_send` throws when the channel breaks in the middle of a message,
    // as it does when the daemon is killed (lib/internal/child_process.js), and with it go log lines that wait.
    send: (message, handle, options = {}, callback) => send.call(process, message, handle, options, callback),
  }
}

/**
 * Hides Node's IPC channel (`setupChannel` in lib/internal/child_process.js). Node itself goes on to use it by the names
 * that are replaced here, hence what they still do. Whoever finds the channel all the same meets a daemon that believes
 * nothing of it.
 */
export function sealChannel(): void {
  const symbol = Object.getOwnPropertySymbols(process).find(
    ({ description }) => description === 'kChannelHandle',
  )
  if (symbol === undefined) throw new SealError("the handle of the daemon's channel was not found.")
  const isClosed = watchEnd((process as never)[symbol] as Channel)
  const { _send: send, disconnect } = process as unknown as { _send: Send; disconnect(): void }
  replace(process, '_send', (message: Message, ...more: unknown[]) => {
    // The acknowledgement of a handle that arrived.
    if (message?.cmd === 'NODE_HANDLE_ACK' || message?.cmd === 'NODE_HANDLE_NACK')
      return send.call(process, message, ...more)
    return false
  })
  replace(process, 'disconnect', () => {
    if (isClosed()) disconnect.call(process)
  })
  replace(process, 'send', undefined)
  replace(process, 'channel', { ...ownSymbols(process.channel!), ref() {}, unref() {} })
  Object.defineProperty(process, symbol, { value: null, writable: true, enumerable: false })
  Object.defineProperty(process, '_channel', { value: undefined, configurable: true })
  hideEvents()
}

/** Node keeps messages there that came before there was a listener. */
function ownSymbols(object: object): object {
  const symbols = Object.getOwnPropertySymbols(object)
  return Object.fromEntries(symbols.map(symbol => [symbol, (object as never)[symbol]]))
}

/** Whether the daemon closed the channel. */
function watchEnd(channel: Channel): () => boolean {
  const read = channel.onread
  let isClosed = false
  channel.onread = function (bytes) {
    if (bytes === undefined) isClosed = true
    return read.call(this, bytes)
  }
  return () => isClosed
}

/** A process manager's messages are listened for by many servers: that nothing comes is better than an error. */
function hideEvents(): void {
  for (const name of ['on', 'once', 'addListener', 'prependListener', 'prependOnceListener'] as const) {
    const listen = process[name] as (event: string | symbol, listener: () => void) => unknown
    replace(process, name, (event: string, listener: () => void) => {
      if (!HIDDEN_EVENTS.includes(event)) listen.call(process, event, listener)
      return process
    })
  }
  for (const name of ['removeAllListeners', 'listeners', 'rawListeners'] as const) {
    const act = process[name] as (event?: string) => unknown
    replace(process, name, (event?: string) =>
      HIDDEN_EVENTS.includes(event) || event === undefined
        ? name.startsWith('remove')
          ? process
          : []
        : act.call(process, event),
    )
  }
}
