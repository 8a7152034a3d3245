import type { Socket } from 'node:net'
import { canonicalAddress } from '../shared/network/special-addresses.ts'
import type { Border } from './border.ts'
import { RefusedError } from './failure.ts'

/** Maximum time for the whole negotiation (https://www.rfc-editor.org/rfc/rfc1928). */
const NEGOTIATION_MS = 10_000
/** A greeting has at most 257 bytes, and a request 262. */
const MAX_BYTES = 600

const REPLY = { ok: 0, refused: 2, unreachable: 4, connectionRefused: 5, command: 7, addressType: 8 }

/** Serves a SOCKS 5 client without authentication. Supports only CONNECT. */
export function serveSocks(socket: Socket, border: Border): void {
  const timer = setTimeout(() => socket.destroy(), NEGOTIATION_MS)
  const close = () => socket.destroy()
  socket.once('close', () => clearTimeout(timer))
  socket.once('end', close)
  let bytes = Buffer.alloc(0)
  let isGreeted = false
  const onData = (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    if (bytes.length > MAX_BYTES) return void socket.destroy()
    if (!isGreeted) {
      const greeting = readGreeting(bytes)
      if (greeting === undefined) return
      if (greeting === 'wrong') return void socket.end(Buffer.of(5, 0xff))
      isGreeted = true
      bytes = bytes.subarray(greeting)
      socket.write(Buffer.of(5, 0))
    }
    const request = readRequest(bytes)
    if (request === undefined) return
    clearTimeout(timer)
    socket.off('data', onData)
    socket.off('end', close)
    socket.pause()
    if (typeof request === 'number') return void socket.end(reply(request))
    if (bytes.length > request.length) socket.unshift(bytes.subarray(request.length))
    void connectTo(socket, border, request)
  }
  socket.on('data', onData)
  socket.resume()
}

interface Request {
  host: string
  port: number
  /** Length of the request in bytes. */
  length: number
}

/** Length of the greeting. Undefined while it is incomplete, and `wrong` if the client requires authentication. */
function readGreeting(bytes: Buffer): number | 'wrong' | undefined {
  if (bytes.length < 2) return undefined
  const length = 2 + bytes[1]!
  if (bytes.length < length) return undefined
  return bytes.subarray(2, length).includes(0) ? length : 'wrong'
}

/** Undefined while the request is incomplete. A number is the reply to an unsupported request. */
function readRequest(bytes: Buffer): Request | number | undefined {
  if (bytes.length < 5) return undefined
  const [version, command, , type, first] = bytes as unknown as [number, number, number, number, number]
  if (version !== 5 || command !== 1) return REPLY.command
  const size = { 1: 4, 3: 1 + first, 4: 16 }[type]
  if (size === undefined) return REPLY.addressType
  const length = 4 + size + 2
  if (bytes.length < length) return undefined
  const address = bytes.subarray(4, 4 + size)
  return { host: hostOf(type, address), port: bytes.readUInt16BE(4 + size), length }
}

function hostOf(type: number, bytes: Buffer): string {
  if (type === 3) return bytes.subarray(1).toString('latin1')
  if (type === 1) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16))
  return canonicalAddress(groups.join(':'))!
}

async function connectTo(socket: Socket, border: Border, { host, port }: Request): Promise<void> {
  try {
    const upstream = await border.open(host, port)
    if (socket.destroyed) return void upstream.destroy()
    socket.write(reply(REPLY.ok))
    border.join(socket, upstream, host, port)
  } catch (error) {
    socket.end(reply(replyTo(error)))
  }
}

function replyTo(error: unknown): number {
  if (error instanceof RefusedError) return REPLY.refused
  return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
    ? REPLY.connectionRefused
    : REPLY.unreachable
}

function reply(code: number): Buffer {
  return Buffer.of(5, code, 0, 1, 0, 0, 0, 0, 0, 0)
}
