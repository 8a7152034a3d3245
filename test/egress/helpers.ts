import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Border } from '../../src/egress/border.ts'
import { Egress } from '../../src/egress/egress.ts'
import type { Resolver } from '../../src/egress/resolve.ts'
import type { EgressSettings, FromEgress } from '../../src/shared/network/egress-protocol.ts'

/** An egress with one confined process, whose listener is a port on 127.0.0.1. */
export interface TestEgress {
  egress: Egress
  border: Border
  port: number
  traffic(): Extract<FromEgress, { type: 'traffic' }>['entries']
  close(): void
}

/** 127.0.0.1 represents the public internet, and 127.0.0.2 a private network. */
export const OPEN: EgressSettings = { allowPrivateNetwork: false, publicAddresses: ['127.0.0.1'] }

const NAMES: Record<string, string[]> = {
  'public.example': ['127.0.0.1'],
  'other.example': ['127.0.0.1'],
  'private.example': ['127.0.0.2'],
  'mixed.example': ['127.0.0.1', '10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
}

export const resolver: Resolver = {
  async lookup(host) {
    const found = NAMES[host]
    if (found) return found
    throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {
      code: 'ENOTFOUND',
      syscall: 'getaddrinfo',
      hostname: host,
    })
  },
  resolve: async (host, records) => [[`${records} of ${host}`]],
}

export async function startEgress(settings?: EgressSettings): Promise<TestEgress> {
  const entries: ReturnType<TestEgress['traffic']> = []
  const egress = new Egress(resolver, message => {
    if (message.type === 'traffic') entries.push(...message.entries)
  })
  const processId = 'inst_a'
  egress.receive({ type: 'listen', processId }, { port: 0, host: '127.0.0.1' })
  const border = egress.border(processId)!
  while (!border.address) await new Promise(setImmediate)
  if (settings) egress.receive({ type: 'policy', processId, settings })
  return {
    egress,
    border,
    port: border.address.port,
    traffic: () => entries,
    close: () => egress.receive({ type: 'forget', processId }),
  }
}

/** Starts a server that echoes in upper case unless `onSocket` replaces this. */
export async function startUpstream(onSocket = shout): Promise<Server & { port: number }> {
  const server = createServer({ allowHalfOpen: true }, socket => {
    socket.on('error', () => {})
    onSocket(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(server, { port: (server.address() as AddressInfo).port })
}

function shout(socket: Socket): void {
  socket.on('data', chunk => socket.write(chunk.toString().toUpperCase()))
  socket.on('end', () => socket.end('!'))
}

/** Sends the parts. Returns everything that the other side sends before it ends the connection. */
export async function exchange(port: number, ...sent: (string | Buffer)[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  for (const part of sent) {
    socket.write(part)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  socket.end()
  return readAll(socket)
}

export async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise(resolve => socket.once('close', resolve))
  return Buffer.concat(chunks).toString('latin1')
}
