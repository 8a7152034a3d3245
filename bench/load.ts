import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { MODERN_CALL } from './daemon.ts'
import { percentile } from './measure.ts'

interface Load {
  /** Answered requests per second. */
  rate: number
  answered: number
  p99Ms: number
}

/** Kept-alive connections to a server that answers the echo call. */
export interface Connections extends Disposable {
  /**
   * Calls the echo tool over all connections for this long, one request at a time on each. Throws for an answer that is not 200.
   */
  load(seconds: number): Promise<Load>
}

/**
 * Opens kept-alive connections. The generator does as little as possible (a prepared request, an answer counted by its length),
 * so that the server's core is the limit. If the client were the limit, all servers would look alike.
 */
export async function openConnections(url: string, count: number): Promise<Connections> {
  const { hostname, port, host, pathname } = new URL(url)
  const request = requestBytes(host, pathname)
  const sockets = Array.from({ length: count }, () =>
    connect({ host: hostname, port: Number(port), noDelay: true }),
  )
  await Promise.all(sockets.map(socket => once(socket, 'connect')))
  return {
    load: seconds => loadOver(sockets, request, seconds),
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function loadOver(sockets: Socket[], request: Buffer, seconds: number): Promise<Load> {
  const latencies: number[] = []
  const start = performance.now()
  const end = start + seconds * 1000
  const rest = stayAwake()
  await Promise.all(sockets.map(socket => callUntil(end, socket, request, latencies))).finally(rest)
  const elapsed = performance.now() - start
  return {
    answered: latencies.length,
    rate: (latencies.length * 1000) / elapsed,
    p99Ms: percentile(latencies, 0.99),
  }
}

/** Requests per second with a new connection for each request. */
export async function loadWithoutKeepAlive(
  url: string,
  concurrency: number,
  seconds: number,
): Promise<number> {
  const { hostname, port, host, pathname } = new URL(url)
  const request = requestBytes(host, pathname, { connection: 'close' })
  const start = performance.now()
  const end = start + seconds * 1000
  let answered = 0
  const lane = async () => {
    for (; performance.now() < end; answered++) await requestOnce(hostname, Number(port), request)
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  return (answered * 1000) / (performance.now() - start)
}

function requestOnce(hostname: string, port: number, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port, noDelay: true })
    let answer = ''
    socket.setEncoding('latin1')
    socket.on('connect', () => socket.write(request))
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => {
      if (answer.startsWith('HTTP/1.1 200')) resolve()
      else reject(new Error(`not answered with 200: ${answer.slice(0, 300)}`))
    })
  })
}

/**
 * Keeps the generator's event loop from sleeping. Otherwise, each answer would have to wake the client, and the kernel charges
 * the wake-ups to the server, above all to a slow one.
 */
function stayAwake(): () => void {
  let immediate = setImmediate(function turn() {
    immediate = setImmediate(turn)
  })
  return () => clearImmediate(immediate)
}

function callUntil(end: number, socket: Socket, request: Buffer, latencies: number[]): Promise<void> {
  let sentAt = 0
  let received = 0
  let length = 0
  const { resolve, reject, promise } = Promise.withResolvers<void>()
  const send = () => {
    sentAt = performance.now()
    socket.write(request)
  }
  const onClose = () => reject(new Error('the server closed the connection'))
  const onData = (chunk: Buffer) => {
    if (received === 0) {
      if (!startsWith200(chunk))
        reject(new Error(`not answered with 200: ${chunk.toString('latin1', 0, 300)}`))
      length ||= answerLength(chunk)
    }
    received += chunk.length
    if (received < length) return
    received = 0
    const now = performance.now()
    latencies.push(now - sentAt)
    if (now < end) return send()
    resolve()
  }
  socket.on('error', reject).on('close', onClose).on('data', onData)
  send()
  return promise.finally(() => socket.off('error', reject).off('close', onClose).off('data', onData))
}

function requestBytes(host: string, path: string, more: Record<string, string> = {}): Buffer {
  const { headers, body } = MODERN_CALL
  const lines = Object.entries({
    host,
    ...headers,
    ...more,
    'content-length': String(Buffer.byteLength(body)),
  })
  const head = [`POST ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function startsWith200(chunk: Buffer): boolean {
  return chunk.toString('latin1', 0, 12) === 'HTTP/1.1 200'
}

/** Bytes of an answer, head and body. All answers to the same call have the same length. */
function answerLength(chunk: Buffer): number {
  const text = chunk.toString('latin1')
  const body = /content-length: (\d+)/i.exec(text)
  if (!body) throw new Error('the answer has no Content-Length')
  return text.indexOf('\r\n\r\n') + 4 + Number(body[1])
}
