import type { Socket } from 'node:net'
import type { NamedRequest } from '../runtime/named-request.ts'
import { allowReading } from '../runtime/reading.ts'
import type { InheritedSockets } from './inherited-sockets.ts'
import { type Acceptor, Listener } from './listener.ts'
import { type Refused, refuse } from './refusal.ts'
import { type Problem, readHead } from './request-head.ts'

export interface NamedGatewayOptions {
  /** What serves the host, in lower case and without a port; undefined when nothing has that name. */
  resolve(hostname: string): string | undefined
  /** Takes a connection of which a request's head was read; see `Supervisor.connect`. */
  connect(servedId: string, socket: Socket, named: NamedRequest): void
  onAcceptError?(error: Error): void
  /** What a connection is for could not be found out, for example because the database cannot be read. */
  onDropped?(error: Error): void
  inherited?: InheritedSockets | undefined
}

/** All servers behind one port, told apart by the `Host` of a connection's first request. */
export class NamedGateway {
  readonly port: number
  readonly #listener: Listener

  private constructor(listener: Listener) {
    this.#listener = listener
    this.port = listener.port
  }

  /** Rejects with the system's error, for example EADDRINUSE. */
  static async open(port: number, options: NamedGatewayOptions): Promise<NamedGateway> {
    const acceptor: Acceptor = {
      accept: socket => void admit(socket, options).catch(error => drop(socket, error, options)),
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

/** Reads the head and passes the connection on; or answers it. */
export async function admit(socket: Socket, { resolve, connect }: NamedGatewayOptions): Promise<void> {
  socket.on('error', ignoreBroken)
  const head = await readHead(socket)
  if ('problem' in head) return reject(socket, head.problem)
  const servedId = resolve(hostnameOf(head.host))
  if (servedId === undefined) return turnAway(socket, unknownHost(head.host))
  socket.off('error', ignoreBroken)
  connect(servedId, socket, head)
}

/** One connection's misfortune must not be everybody's. */
export function drop(socket: Socket, error: Error, { onDropped }: NamedGatewayOptions): void {
  socket.destroy()
  onDropped?.(error)
}

/** Answers a request that is none. */
export function reject(socket: Socket, problem: Problem): void {
  if (problem === 'gone') socket.destroy()
  else turnAway(socket, PROBLEMS[problem])
}

export function turnAway(socket: Socket, why: Refused): void {
  allowReading(socket)
  refuse(socket, why)
}

/** `weather.localhost:6280` → `weather.localhost` */
export function hostnameOf(host: string): string {
  return host.replace(/:\d+$/, '')
}

export function unknownHost(host: string): Refused {
  return {
    status: 421,
    message: `No server has the name "${host}"; "mcp domains list" tells the names there are.`,
  }
}

const PROBLEMS: Record<Exclude<Problem, 'gone'>, Refused> = {
  'too-large': { status: 431, message: 'The head of the request is larger than 16 KB.' },
  'no-host': {
    status: 400,
    message: 'The request names no host, or more than one, or is no HTTP/1.1 request.',
  },
  'too-late': { status: 408, message: 'No request came within 15 s.' },
}

// A connection may break at any time; the head's reader and its next owner see it close.
function ignoreBroken(): void {}
