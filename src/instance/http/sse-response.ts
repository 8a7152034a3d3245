import type { ServerResponse } from 'node:http'

const KEEP_ALIVE_MS = 15_000
/** A reader that lets this much pile up is cut off: it can resume, and memory cannot be held by a stalled client. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024

/**
 * Comments keep proxies and clients from taking a quiet stream for a dead one. One timer serves all streams of the process
 * and stops with the last, so that an idle process does not tick.
 */
const open = new Set<SseResponse>()
let keepAlive: NodeJS.Timeout | undefined

/** A response as a stream of server-sent events (WHATWG HTML 9.2). */
export class SseResponse {
  readonly #response: ServerResponse
  #onClose: (() => void) | undefined

  /** `headers` as a flat list of names and values, besides the stream's own. `onClose` is called once, whoever ended it. */
  constructor(response: ServerResponse, headers: readonly string[], onClose: () => void) {
    this.#response = response
    this.#onClose = onClose
    response.writeHead(200, [
      'Content-Type',
      'text/event-stream',
      // `no-transform` and X-Accel-Buffering keep proxies from holding events back.
      'Cache-Control',
      'no-cache, no-transform',
      'X-Accel-Buffering',
      'no',
      ...headers,
    ])
    response.flushHeaders()
    response.once('close', () => this.#closed())
    open.add(this)
    keepAlive ??= setInterval(pingAll, KEEP_ALIVE_MS).unref()
  }

  get isOpen(): boolean {
    return this.#onClose !== undefined
  }

  /** `data` is one line. */
  send(data: string, id?: string): void {
    const idLine = id === undefined ? '' : `id: ${id}\n`
    this.#write(`event: message\n${idLine}data: ${data}\n\n`)
  }

  /** An event without data whose id lets the client resume from here, and how long to wait before it does. */
  prime(id: string, retryMs: number): void {
    this.#write(`retry: ${retryMs}\nid: ${id}\ndata: \n\n`)
  }

  /** Unless something waits to be read already: that says as much, and one more write would look like progress. */
  keepAlive(): void {
    if (this.#response.writableLength === 0) this.#write(': keep-alive\n\n')
  }

  end(): void {
    if (!this.isOpen) return
    this.#response.end()
    this.#closed()
  }

  #write(frame: string): void {
    if (!this.isOpen) return
    this.#response.write(frame)
    if (this.#response.writableLength > MAX_UNREAD_BYTES) this.#response.destroy()
  }

  #closed(): void {
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
