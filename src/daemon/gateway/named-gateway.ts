import type { Socket } from 'node:net'
import { allowReading } from '../runtime/pool/socket-reading.ts'
import type { NamedRequest } from '../runtime/process/named-request.ts'
import type { InheritedSockets } from './inherited-sockets.ts'
import { type Acceptor, Listener } from './listener.ts'
import { type Refusal, refuse } from './refusal.ts'
import { type Problem, readHead } from './request-head.ts'
import { WaitingConnections } from './waiting-connections.ts'

export interface NamedGatewayOptions {
  /** Returns the `servedId` for a host name (lower case, without port). Undefined for an unknown name. */
  resolve(hostname: string): string | undefined
  /** Takes a connection with the head of its first request. See `Supervisor.connect`. */
  connect(servedId: string, socket: Socket, named: NamedRequest): void
  onAcceptError?(error: Error): void
  /** A connection was dropped, for example because too many are waiting or the database cannot be read. */
  onDropped?(error: Error): void
  inherited?: InheritedSockets | undefined
  /**
   * Maximum number of connections to a port that have not sent the head of a request. The default depends on the limit on open
   * files.
   */
  maxWaiting?: number
}

/** All servers behind one port, distinguished by the `Host` of a connection's first request. */
export class NamedGateway {
  readonly port: number
  readonly #listener: Listener

  private constructor(listener: Listener) {
    this.#listener = listener
    this.port = listener.port
  }

  /** Rejects with the system's error, for example EADDRINUSE. */
  static async open(port: number, options: NamedGatewayOptions): Promise<NamedGateway> {
    const waiting = new WaitingConnections(options.maxWaiting)
    const acceptor: Acceptor = {
      accept: socket => void admit(socket, waiting, options).catch(error => drop(socket, error, options)),
      onAcceptError: error => options.onAcceptError?.(error),
    }
    const listener = await Listener.open(port, acceptor, options.inherited)
    return new NamedGateway(listener)
  }

  get descriptor(): number | undefined {
    return this.#listener.descriptor
  }

  close(): void {
    this.#listener.close()
  }
}

/** Reads the head and passes the connection on, or answers it with an error. */
async function admit(
  socket: Socket,
  waiting: WaitingConnections,
  { resolve, connect }: NamedGatewayOptions,
): Promise<void> {
  socket.on('error', ignoreBroken)
  const onHead = waiting.add()
  const head = await readHead(socket)
  onHead()
  if ('problem' in head) return reject(socket, head.problem)
  const servedId = resolve(hostnameOf(head.host))
  if (servedId === undefined) return refuseUnread(socket, unknownHost(head.host))
  socket.off('error', ignoreBroken)
  connect(servedId, socket, head)
}

/** Closes a connection after an error, so that the error does not affect other connections. */
export function drop(socket: Socket, error: Error, { onDropped }: NamedGatewayOptions): void {
  socket.destroy()
  onDropped?.(error)
}

/** Answers a malformed or missing request. */
export function reject(socket: Socket, problem: Problem): void {
  if (problem === 'gone') socket.destroy()
  else refuseUnread(socket, PROBLEMS[problem])
}

export function refuseUnread(socket: Socket, why: Refusal): void {
  allowReading(socket)
  refuse(socket, why)
}

/** `weather.localhost:6280` → `weather.localhost` */
export function hostnameOf(host: string): string {
  return host.replace(/:\d+$/, '')
}

export function unknownHost(host: string): Refusal {
  return {
    status: 421,
    message: `No server has the name "${host}". Run "mcp domains list" to list the names.`,
  }
}

const PROBLEMS: Record<Exclude<Problem, 'gone'>, Refusal> = {
  'too-large': { status: 431, message: 'The head of the request is larger than 16 KB.' },
  'no-host': {
    status: 400,
    message: 'The request is not a valid HTTP/1.1 request with exactly one Host header.',
  },
  'too-late': { status: 408, message: 'No request arrived within 15 s.' },
}

// A connection may break at any time. `readHead` and the next owner handle its `close` event.
function ignoreBroken(): void {}
