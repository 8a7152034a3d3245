import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Border } from './border.ts'
import { RefusedError } from './failure.ts'

const HEADERS_MS = 10_000
const MAX_HEADER_BYTES = 32 * 1024

/** https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1, and headers that proxy clients send. */
const HOP_BY_HOP = [
  'connection',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
]

/** An HTTP proxy: CONNECT, and requests whose target is an absolute http URL. */
export class HttpProxy {
  readonly #server: Server
  readonly #borders = new WeakMap<Duplex, Border>()
  readonly #timers = new WeakMap<Duplex, NodeJS.Timeout>()

  constructor() {
    this.#server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (message, response) => {
      response.shouldKeepAlive = false
      void this.#forward(message, response)
    })
    this.#server.on('connect', (message, socket, head) => void this.#tunnel(message, socket as Socket, head))
    this.#server.on('upgrade', (message, socket, head) => void this.#upgrade(message, socket as Socket, head))
    this.#server.on('clientError', (_error, socket) => {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
      else socket.destroy()
    })
  }

  /** Serves one request. Sets its own timeout for the head, because a server that does not listen enforces none. */
  serve(socket: Socket, border: Border): void {
    this.#borders.set(socket, border)
    const timer = setTimeout(() => socket.destroy(), HEADERS_MS)
    socket.once('close', () => clearTimeout(timer))
    this.#timers.set(socket, timer)
    this.#server.emit('connection', socket)
    socket.resume()
  }

  /** Border of a connection whose request head has arrived. Clears the timeout for the head. */
  #borderOf(socket: Duplex): Border | undefined {
    clearTimeout(this.#timers.get(socket))
    return this.#borders.get(socket)
  }

  async #tunnel(message: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    pause(socket, head)
    const target = parseAuthority(message.url ?? '')
    const border = this.#borderOf(socket)
    if (!target || !border) return void socket.end(headOf(400, 'Bad Request'))
    try {
      const upstream = await border.open(target.host, target.port)
      if (socket.destroyed) return void upstream.destroy()
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      border.join(socket, upstream, target.host, target.port)
    } catch (error) {
      const { status, reason, text } = failureOf(error)
      socket.end(headOf(status, reason, text))
    }
  }

  async #forward(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = message
    const border = this.#borderOf(socket)
    const url = parseTarget(message.url)
    if (!url || !border) return answer(response, 400, PROXY_USAGE)
    try {
      const upstream = await this.#openFor(url, border)
      if (socket.destroyed) return void upstream.destroy()
      relay(message, response, { url, upstream })
    } catch (error) {
      const { status, text } = failureOf(error)
      answer(response, status, text)
    }
  }

  /** Forwards a WebSocket upgrade that was sent to the proxy without CONNECT, then joins both ends. */
  async #upgrade(message: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    pause(socket, head)
    const border = this.#borderOf(socket)
    const url = parseTarget(message.url)
    if (!url || !border) return void socket.end(headOf(400, 'Bad Request', PROXY_USAGE))
    try {
      const { host, port } = destinationOf(url)
      const upstream = await border.open(host, port)
      if (socket.destroyed) return void upstream.destroy()
      upstream.write(requestHead(message, url), 'latin1')
      border.join(socket, upstream, host, port)
    } catch (error) {
      const { status, reason, text } = failureOf(error)
      socket.end(headOf(status, reason, text))
    }
  }

  async #openFor(url: URL, border: Border): Promise<Socket> {
    const { host, port } = destinationOf(url)
    const upstream = await border.open(host, port)
    border.count(upstream, host, port)
    return upstream
  }
}

/** Leaves the client's bytes unread until the connection is open. */
function pause(socket: Socket, head: Buffer): void {
  socket.pause()
  if (head.length > 0) socket.unshift(head)
}

const PROXY_USAGE = 'This is a proxy. Send CONNECT or a request with an absolute http URL.'

function relay(
  message: IncomingMessage,
  response: ServerResponse,
  { url, upstream }: { url: URL; upstream: Socket },
): void {
  const outgoing = request({
    createConnection: () => upstream,
    method: message.method,
    path: `${url.pathname}${url.search}`,
    headers: passedHeaders(message.rawHeaders, url.host),
    setHost: false,
  })
  const fail = () => {
    if (response.headersSent) response.destroy()
    else answer(response, 502, `${url.host} closed the connection.`)
    upstream.destroy()
  }
  outgoing.on('error', fail)
  outgoing.on('response', incoming => {
    incoming.on('error', fail)
    try {
      response.writeHead(incoming.statusCode!, incoming.statusMessage, passedHeaders(incoming.rawHeaders))
    } catch {
      return fail() // Node's parser accepts statuses that Node does not send, such as 099
    }
    incoming.pipe(response)
  })
  response.on('close', () => upstream.destroy())
  message.on('error', () => outgoing.destroy())
  message.pipe(outgoing)
}

/** Headers to pass on, without hop-by-hop headers. Names and values alternate. */
function passedHeaders(raw: readonly string[], host?: string): string[] {
  const named = namedByConnection(raw)
  const passed: string[] = host === undefined ? [] : ['Host', host]
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    if (HOP_BY_HOP.includes(name) || named.has(name) || (name === 'host' && host !== undefined)) continue
    passed.push(raw[at]!, raw[at + 1]!)
  }
  return passed.concat(host === undefined ? [] : ['Connection', 'close'])
}

function namedByConnection(raw: readonly string[]): Set<string> {
  const values = raw.filter((_, at) => at % 2 === 1 && raw[at - 1]!.toLowerCase() === 'connection')
  return new Set(values.flatMap(value => value.toLowerCase().split(',')).map(name => name.trim()))
}

function requestHead({ method, rawHeaders }: IncomingMessage, url: URL): string {
  const lines = [`${method} ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (name !== 'host' && !name.startsWith('proxy-')) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

function parseTarget(text = ''): URL | undefined {
  const url = URL.parse(text)
  return url?.protocol === 'http:' && url.hostname !== '' ? url : undefined
}

function destinationOf({ hostname, port }: URL): { host: string; port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 80 : Number(port) }
}

function parseAuthority(text: string): { host: string; port: number } | undefined {
  const found = /^(?:\[([^\]]+)\]|([^:[\]/?#@\s]+)):(\d{1,5})$/.exec(text)
  const port = Number(found?.[3])
  return found && port > 0 && port <= 65_535 ? { host: found[1] ?? found[2]!, port } : undefined
}

function failureOf(error: unknown): { status: number; reason: string; text: string } {
  const { message } = error as Error
  if (error instanceof RefusedError) return { status: 403, reason: 'Forbidden', text: message }
  return { status: 502, reason: 'Bad Gateway', text: message }
}

function answer(response: ServerResponse, status: number, text: string): void {
  // Without an explicit status text, Node would reuse an invalid one from the server.
  response.writeHead(status, STATUS_CODES[status], {
    'content-type': 'text/plain; charset=utf-8',
    connection: 'close',
  })
  response.end(`${text}\n`)
}

function headOf(status: number, reason: string, text = ''): string {
  const body = text === '' ? '' : `${text}\n`
  return [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
