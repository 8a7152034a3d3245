import type { ServerResponse } from 'node:http'

const KEEP_ALIVE_MS = 15_000
/** Unread bytes after which a client is disconnected. The client can resume, and a stalled one cannot hold memory. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024

/**
 * Open streams. Keep-alive comments stop proxies and clients from closing quiet ones. One timer serves all streams and stops
 * with the last, so that an idle process does not wake up.
 */
const open = new Set<SseResponse>()
let keepAlive: NodeJS.Timeout | undefined

/** A response sent as server-sent events (WHATWG HTML 9.2). */
export class SseResponse {
  readonly #response: ServerResponse
  #onClose: (() => void) | undefined

  /** `headers` is a flat list, added to the stream's own. `onClose` is called once, whichever side closes the stream. */
  constructor(response: ServerResponse, headers: readonly string[], onClose: () => void) {
    this.#response = response
    this.#onClose = onClose
    response.writeHead(200, [
      'Content-Type',
      'text/event-stream',
      // `no-transform` and X-Accel-Buffering keep proxies from buffering events.
      'Cache-Control',
      'no-cache, no-transform',
      'X-Accel-Buffering',
      'no',
      ...headers,
    ])
    response.flushHeaders()
    response.once('close', () => this.#handleClose())
    open.add(this)
    keepAlive ??= setInterval(pingAll, KEEP_ALIVE_MS).unref()
  }

  get isOpen(): boolean {
    return this.#onClose !== undefined
  }

  /** `data` must be a single line. */
  send(data: string, id?: string): void {
    const idLine = id === undefined ? '' : `id: ${id}\n`
    this.#write(`event: message\n${idLine}data: ${data}\n\n`)
  }

  /** Sends an event without data. Its id lets the client resume from here, and `retryMs` delays its reconnect. */
  prime(id: string, retryMs: number): void {
    this.#write(`retry: ${retryMs}\nid: ${id}\ndata: \n\n`)
  }

  /** Sends a comment, unless data is waiting, because another write would look like progress. */
  keepAlive(): void {
    if (this.#response.writableLength === 0) this.#write(': keep-alive\n\n')
  }

  end(): void {
    if (!this.isOpen) return
    this.#response.end()
    this.#handleClose()
  }

  #write(frame: string): void {
    if (!this.isOpen) return
    this.#response.write(frame)
    if (this.#response.writableLength > MAX_UNREAD_BYTES) this.#response.destroy()
  }

  #handleClose(): void {
    const onClose = this.#onClose
    this.#onClose = undefined
    open.delete(this)
    if (open.size === 0) {
      clearInterval(keepAlive)
      keepAlive = undefined
    }
    onClose?.()
  }
}

function pingAll(): void {
  for (const stream of open) stream.keepAlive()
}
