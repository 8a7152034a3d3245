import { createSocket } from 'node:dgram'
import { Socket } from 'node:net'
import tty from 'node:tty'
import { denyAll, SealError } from './denied.ts'
import { sealFiles } from './file-seal.ts'
import type { UserOutput } from './user-output.ts'

/**
 * Descriptors are outside the permission model (https://nodejs.org/api/permissions.html#limitations-and-known-issues), and
 * this process has open ones: its log and the daemon's channel. Nothing that takes a number for a file is left, except
 * printing. Unix sockets are outside it too, and behind one may be a container engine.
 */
export function sealDescriptors(output: UserOutput): void {
  sealFiles(output)
  const pipe = unusedHandle(socket => socket.connect({ path: '/dev/null/none' }))
  denyAll(pipe, ['open', 'connect', 'bind', 'listen', 'fchmod'], 'pipe')
  const tcp = unusedHandle(socket => socket.connect({ port: 1, host: '127.0.0.1' }))
  denyAll(tcp, ['open'], 'tcp')
  denyAll(udpHandle(), ['open'], 'udp')
  denyAll(tty, ['ReadStream', 'WriteStream'], 'tty')
}

/** The prototype that all native handles of a kind share. User code reaches it through any of its sockets. */
function unusedHandle(begin: (socket: Socket) => void): object {
  const socket = new Socket()
  socket.on('error', () => {}) // there is nothing to connect to
  begin(socket)
  const { _handle: handle } = socket as unknown as { _handle: object | null }
  socket.destroy()
  if (!handle) throw new SealError('the native handle of a socket was not found.')
  return Object.getPrototypeOf(handle)
}

function udpHandle(): object {
  const socket = createSocket('udp4')
  const symbol = Object.getOwnPropertySymbols(socket).find(
    ({ description }) => description === 'state symbol',
  )
  const state = symbol && ((socket as never)[symbol] as { handle?: object })
  if (!state?.handle) throw new SealError('the native handle of a UDP socket was not found.')
  const prototype = Object.getPrototypeOf(state.handle)
  socket.close()
  return prototype
}
