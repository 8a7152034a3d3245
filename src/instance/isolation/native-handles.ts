import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns'
import { Socket } from 'node:net'
import { SealError } from './denied.ts'

/**
 * Prototypes of Node's native handles. All handles of a kind share a prototype, which user code can reach through any socket
 * or resolver.
 */
export function pipePrototype(): object {
  return socketPrototype(socket => socket.connect({ path: '/dev/null/none' }))
}

export function tcpPrototype(): object {
  return socketPrototype(socket => socket.connect({ port: 1, host: '127.0.0.1' }))
}

export function udpPrototype(): object {
  const socket = createSocket('udp4')
  const symbol = Object.getOwnPropertySymbols(socket).find(
    ({ description }) => description === 'state symbol',
  )
  const state = symbol && ((socket as never)[symbol] as { handle?: object })
  const prototype = prototypeOf(state?.handle, 'a UDP socket')
  socket.close()
  return prototype
}

export function resolverPrototype(): object {
  return prototypeOf(resolverHandle(new Resolver()), 'a resolver')
}

/** `resolver`: a resolver of `node:dns` or `node:dns/promises`. */
export function resolverHandle(resolver: object): object | undefined {
  return (resolver as { _handle?: object })._handle
}

function socketPrototype(begin: (socket: Socket) => void): object {
  const socket = new Socket()
  socket.on('error', () => {}) // there is nothing to connect to
  begin(socket)
  const { _handle: handle } = socket as unknown as { _handle: object | null }
  socket.destroy()
  return prototypeOf(handle, 'a socket')
}

function prototypeOf(handle: object | null | undefined, description: string): object {
  if (!handle) throw new SealError(`the native handle of ${description} was not found.`)
  return Object.getPrototypeOf(handle)
}
