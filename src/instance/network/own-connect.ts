import { Socket, type SocketConnectOpts } from 'node:net'
import type { HandleGuard } from './handle-guard.ts'

// Captured when loaded, because handler modules get other functions (module-network.ts).
const { connect } = Socket.prototype

let guard: HandleGuard | undefined

/** Sets the guard that has to permit this program's own connections. */
export function guardOwn(installed: HandleGuard): void {
  guard = installed
}

/** Connects a socket without the functions that handler modules get. */
export function connectOwn(socket: Socket, options: SocketConnectOpts): Socket {
  return Reflect.apply(connect, socket, [options]) as Socket
}

/** Connects a socket of this program to another instance of the deployment. */
export function connectPeer(socket: Socket, port: number): Socket {
  const host = '127.0.0.1'
  guard?.grantAlways(host, port)
  return connectOwn(socket, { port, host })
}
