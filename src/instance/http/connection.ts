import type { Socket } from 'node:net'

const HOST = Symbol('host')
const SECURE = Symbol('secure')
const FROM_PEER = Symbol('from peer')
type ClientSocket = Socket & {
  [HOST]?: string
  [SECURE]?: boolean
  [FROM_PEER]?: boolean
}

/** Properties of a connection that arrived under a host name. */
export interface ConnectionName {
  /** Lower case, with the port. */
  host?: string | undefined
  /** True when the client used TLS. */
  secure?: boolean | undefined
}

export function nameConnection(socket: Socket, { host, secure }: ConnectionName): void {
  if (host !== undefined) (socket as ClientSocket)[HOST] = host
  if (secure) (socket as ClientSocket)[SECURE] = true
}

/** Host name of the connection. Undefined for connections to the tenant's own port. */
export function hostOf(socket: Socket): string | undefined {
  return (socket as ClientSocket)[HOST]
}

/** True when the client used TLS, which is terminated before this process. */
export function isSecure(socket: Socket): boolean {
  return (socket as ClientSocket)[SECURE] ?? false
}

/** Marks a connection from another instance. Its requests are answered here and not relayed again. */
export function markFromPeer(socket: Socket): void {
  ;(socket as ClientSocket)[FROM_PEER] = true
}

export function isFromPeer(socket: Socket): boolean {
  return (socket as ClientSocket)[FROM_PEER] ?? false
}
