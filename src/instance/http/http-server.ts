import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

// Importing node:http would evaluate all its exports, one of which (WebSocket) loads undici: 6 MB per process.
const { createServer } = process.getBuiltinModule('node:http')

export interface HttpTimeouts {
  /** Time for a request's head, from the connection's start or the head's first byte to its last byte. */
  headersMs: number
  /** Time for a whole request. */
  requestMs: number
  /** Idle time, as advertised to the client. Node waits one second longer, so that a request in transit is not lost. */
  keepAliveMs: number
  /** A client that reads nothing is disconnected after at most twice this time, so that unread data does not fill the memory. */
  stalledMs: number
  /** Interval of the checks for all limits except keepAliveMs. The checks run only while there are connections. */
  checkMs: number
}

const HTTP_TIMEOUTS: HttpTimeouts = {
  headersMs: 15_000,
  requestMs: 60_000,
  keepAliveMs: 5_000,
  stalledMs: 15_000,
  checkMs: 5_000,
}

/** Delay before the checks stop. Clients with a connection per request would otherwise restart them each time. */
const STOP_DELAY_MS = 1000

/**
 * An HTTP server that never listens. The daemon accepts connections and hands them over
 * (https://nodejs.org/api/http.html#event-connection).
 */
export class HttpServer {
  readonly #server: Server
  readonly #connections = new Set<Socket>()
  readonly #timeouts: HttpTimeouts
  #watch: NodeJS.Timeout | undefined
  #ending: NodeJS.Timeout | undefined

  constructor(onRequest: RequestListener, timeouts: HttpTimeouts = HTTP_TIMEOUTS) {
    this.#timeouts = timeouts
    this.#server = createServer(
      {
        headersTimeout: timeouts.headersMs,
        requestTimeout: timeouts.requestMs,
        keepAliveTimeout: timeouts.keepAliveMs,
        connectionsCheckingInterval: timeouts.checkMs,
        maxHeaderSize: 16 * 1024,
      },
      onRequest,
    )
    this.#server.on('clientError', refuseRequest)
  }

  /** Serves a connection. `head` holds bytes already read from it. `onClose` is called once. */
  accept(socket: Socket, head: Buffer | undefined, onClose: () => void): void {
    // Node enforces its timeouts from 'listening' to close(). Emitting 'listening' for the first connection and closing after the
    // last one keeps an idle process from waking up (lib/_http_server.js, setupConnectionsTracking).
    this.#start()
    this.#connections.add(socket)
    socket.once('close', () => {
      this.#connections.delete(socket)
      if (this.#connections.size === 0) this.#ending = setTimeout(() => this.#stop(), STOP_DELAY_MS).unref()
      onClose()
    })
    socket.setNoDelay(true)
    if (head && head.length > 0) socket.unshift(head)
    this.#server.emit('connection', socket)
  }

  #start(): void {
    clearTimeout(this.#ending)
    if (this.#watch) return
    this.#server.emit('listening')
    this.#watch = setInterval(() => this.#watchReaders(), this.#timeouts.checkMs).unref()
  }

  #stop(): void {
    this.#server.close()
    clearInterval(this.#watch)
    this.#watch = undefined
  }

  // A socket's own timeout sees progress within one large write. It is set only while data waits, so that quiet streams and
  // long calls are not cut off and requests do not pay for it.
  #watchReaders(): void {
    const { stalledMs } = this.#timeouts
    for (const socket of this.#connections)
      if (socket.writableLength > 0) {
        if (!socket.timeout) socket.setTimeout(stalledMs)
      } else if (socket.timeout === stalledMs) socket.setTimeout(0)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Content Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

function refuseRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  // A connection that broke, or that has already started its answer, can only be closed.
  if (error.code === 'ECONNRESET' || !socket.writable || (socket as Socket).bytesWritten > 0)
    return void socket.destroy(error)
  const status = REASONS[error.code ?? ''] ?? '400 Bad Request'
  const body = JSON.stringify({ error: { code: 'INVALID_REQUEST', message: status.slice(4) } })
  const head = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`)
}
