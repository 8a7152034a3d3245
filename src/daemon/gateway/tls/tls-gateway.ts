import type { Socket } from 'node:net'
import { createServer, type SecureContext, type Server, type TLSSocket } from 'node:tls'
import { HostingError } from '../../../shared/errors.ts'
import { allowReading } from '../../runtime/pool/socket-reading.ts'
import { Listener } from '../listener.ts'
import {
  drop,
  hostnameOf,
  type NamedGatewayOptions,
  refuseUnread,
  reject,
  unknownHost,
} from '../named-gateway.ts'
import { readHead } from '../request-head.ts'
import { WaitingConnections } from '../waiting-connections.ts'
import { SocketPairs } from './socket-pairs.ts'

/** Equal to the time limit for a request's head, which starts after the handshake. Node's own limit is two minutes. */
const HANDSHAKE_MS = 15_000

export interface TlsGatewayOptions extends NamedGatewayOptions {
  /** Key and certificate of a known host. */
  certificate(hostname: string): Promise<SecureContext>
}

/** The named gateway over TLS. Terminates TLS and relays the decrypted bytes to the instance. */
export class TlsGateway {
  readonly port: number
  readonly #listener: Listener
  readonly #pairs: SocketPairs

  private constructor(listener: Listener, pairs: SocketPairs) {
    this.#listener = listener
    this.#pairs = pairs
    this.port = listener.port
  }

  /** Rejects with the system's error, for example EADDRINUSE. */
  static async open(port: number, options: TlsGatewayOptions): Promise<TlsGateway> {
    const pairs = await SocketPairs.open()
    const acceptor = {
      accept: createAccept(pairs, options),
      onAcceptError: (error: Error) => options.onAcceptError?.(error),
    }
    try {
      return new TlsGateway(await Listener.open(port, acceptor, options.inherited), pairs)
    } catch (error) {
      pairs.close()
      throw error
    }
  }

  get descriptor(): number | undefined {
    return this.#listener.descriptor
  }

  close(): void {
    this.#listener.close()
    this.#pairs.close()
  }
}

/** Returns the function that starts the handshake on an accepted connection, unless too many connections are waiting. */
function createAccept(pairs: SocketPairs, options: TlsGatewayOptions): (socket: Socket) => void {
  const waiting = new WaitingConnections(options.maxWaiting)
  /** Functions from `WaitingConnections.add`, by remote address. A TLS socket and the socket below it have the same address. */
  const onHeads = new Map<string, () => void>()
  const server = createTlsServer(options, secure => {
    const onHead = onHeads.get(remoteOf(secure))
    admitSecure(secure, { ...options, pairs, onHead }).catch(error => drop(secure, error, options))
  })
  const begin = (socket: Socket) => {
    const onHead = waiting.add()
    const remote = remoteOf(socket)
    onHeads.set(remote, onHead)
    socket.once('close', () => {
      onHead()
      if (onHeads.get(remote) === onHead) onHeads.delete(remote)
    })
    server.emit('connection', socket)
  }
  return socket => {
    socket.on('error', () => socket.destroy())
    try {
      begin(socket)
    } catch (error) {
      drop(socket, error as Error, options)
    }
  }
}

/** A server that does not listen. Connections are passed to it. */
function createTlsServer(options: TlsGatewayOptions, onSecure: (secure: TLSSocket) => void): Server {
  const server = createServer({
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: HANDSHAKE_MS,
    SNICallback: (name, done) => void pickContext(name, options, done),
  })
  server.on('secureConnection', onSecure)
  server.on('tlsClientError', (_error, socket) => socket.destroy()) // no name, an unknown name, or not TLS
  return server
}

function remoteOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`
}

type ContextCallback = (error: Error | null, context?: SecureContext) => void

async function pickContext(name: string, options: TlsGatewayOptions, done: ContextCallback): Promise<void> {
  const hostname = name.toLowerCase()
  try {
    if (options.resolve(hostname) === undefined) return done(new Error(`no server has the name ${hostname}`))
    done(null, await options.certificate(hostname))
  } catch (error) {
    // Problems with the user's files have already been reported (certificates.ts).
    if (!(error instanceof HostingError)) options.onDropped?.(error as Error)
    done(error as Error)
  }
}

interface Admission extends NamedGatewayOptions {
  pairs: SocketPairs
  onHead: (() => void) | undefined
}

async function admitSecure(secure: TLSSocket, { pairs, onHead, resolve, connect }: Admission): Promise<void> {
  secure.on('error', () => secure.destroy())
  const head = await readHead(secure)
  onHead?.()
  if ('problem' in head) return reject(secure, head.problem)
  const hostname = hostnameOf(head.host)
  // A connection may only be used for the name it was opened for (RFC 9110 section 7.4).
  const servedId = hostname === nameOf(secure) ? resolve(hostname) : undefined
  if (servedId === undefined) return refuseUnread(secure, unknownHost(head.host))
  const { near, far } = await pairs.create()
  allowReading(secure)
  join(secure, near)
  connect(servedId, far, { ...head, secure: true })
}

/** Name that the client sent with the handshake (SNI), in lower case. */
function nameOf({ servername }: TLSSocket): string | undefined {
  return typeof servername === 'string' ? servername.toLowerCase() : undefined
}

/** Relays bytes in both directions with back-pressure. Passes the end or an error of one side on to the other. */
function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to)
    from.once('error', () => to.destroy()).once('close', () => to.destroySoon())
  }
}
