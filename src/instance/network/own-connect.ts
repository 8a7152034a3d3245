import { Socket, type SocketConnectOpts } from 'node:net'

// Captured when loaded: handler modules get other ones (module-network.ts).
const { connect } = Socket.prototype

/** Connects a socket of this program, past what handler modules are permitted. */
export function connectOwn(socket: Socket, options: SocketConnectOpts): Socket {
  return Reflect.apply(connect, socket, [options]) as Socket
}
