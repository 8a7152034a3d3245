import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { TOO_LARGE } from '../../../../app-frame/messages.ts'
import { isObject } from '../../../../mcp/messages.ts'

/** Enough for an app that reports every frame of an animation. */
const MAX_MESSAGES_PER_SECOND = 300

interface FrameOptions {
  origin: string
  /** The app broke a limit. */
  onFault(sentence: string): void
}

/** Messages between the console and the frame of an app, as JSON text. Messages from other windows are ignored. */
export class FrameTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #frame: Window
  readonly #options: FrameOptions
  #isReady = false
  #second = 0
  #count = 0

  constructor(frame: Window, options: FrameOptions) {
    this.#frame = frame
    this.#options = options
  }

  async start(): Promise<void> {
    addEventListener('message', this.#receive)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#frame.postMessage(JSON.stringify(message), this.#options.origin)
  }

  async close(): Promise<void> {
    removeEventListener('message', this.#receive)
    this.onclose?.()
  }

  readonly #receive = (event: MessageEvent): void => {
    const { source, origin } = event
    const { onFault } = this.#options
    // Browser extensions post messages with the page's own origin.
    if (origin === location.origin) return
    // Until the frame sends its first message, a stopped app's last messages may arrive. The app itself has not started yet.
    this.#isReady ||= source === this.#frame
    if (!this.#isReady) return
    // Counts all other messages, because an app can also post to the console's window directly.
    if (this.#isFlood()) onFault(`The app sent more than ${MAX_MESSAGES_PER_SECOND} messages in a second.`)
    else if (source === this.#frame && origin === this.#options.origin) {
      // Browsers decode a message when its data is first read. Messages directly from the app can be large.
      const message = JSON.parse(String(event.data))
      if (isObject(message) && message.method === TOO_LARGE) onFault('The app sent a message over 2 MB.')
      else if (isObject(message)) this.onmessage?.(message as JSONRPCMessage)
    }
  }

  #isFlood(): boolean {
    const second = Math.floor(performance.now() / 1000)
    this.#count = second === this.#second ? this.#count + 1 : 1
    this.#second = second
    return this.#count > MAX_MESSAGES_PER_SECOND
  }
}
