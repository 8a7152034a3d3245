import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createServer, type SecureContext, type Server, type TLSSocket } from 'node:tls'
import { HostingError } from '../../../shared/errors.ts'
import { allowReading } from '../../runtime/pool/socket-reading.ts'
import { descriptorOf, listenOptions } from '../inherited-sockets.ts'
import {
  drop,
  hostnameOf,
  type NamedGatewayOptions,
  refuseUnread,
  reject,
  unknownHost,
} from '../named-gateway.ts'
import { readHead } from '../request-head.ts'
import { SocketPairs } from './socket-pairs.ts'

/** Equal to the time limit for a request's head. Node's own limit is two minutes. */
const HANDSHAKE_MS = 15_000

export interface TlsGatewayOptions extends NamedGatewayOptions {
  /** Key and certificate of a known host. */
  certificate(hostname: string): Promise<SecureContext>
}

/** The named gateway over TLS. Terminates TLS and relays the decrypted bytes to the instance. */
export class TlsGateway {
  readonly port: number
  readonly #server: Server
  readonly #pairs: SocketPairs

  private constructor(server: Server, pairs: SocketPairs) {
    this.#server = server
    this.#pairs = pairs
    this.port = (server.address() as { port: number }).port
  }

  /** Rejects with the system's error, for example EADDRINUSE. */
  static async open(port: number, options: TlsGatewayOptions): Promise<TlsGateway> {
    const pairs = await SocketPairs.open()
    const server = createServer({
      ALPNProtocols: ['http/1.1'],
      noDelay: true,
      handshakeTimeout: HANDSHAKE_MS,
      SNICallback: (name, done) => void pickContext(name, options, done),
    })
    server.on(
      'secureConnection',
      socket => void admitSecure(socket, pairs, options).catch(error => drop(socket, error, options)),
    )
    server.on('tlsClientError', (_error, socket) => socket.destroy()) // no name, an unknown name, or not TLS
    try {
      server.listen(listenOptions(port, options.inherited))
      await once(server, 'listening')
    } catch (error) {
      pairs.close()
      throw error
    }
    server.on('error', error => options.onAcceptError?.(error))
    return new TlsGateway(server, pairs)
  }

  get descriptor(): number | undefined {
    return descriptorOf(this.#server)
  }

  close(): void {
    this.#server.close()
    this.#pairs.close()
  }
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

async function admitSecure(secure: TLSSocket, pairs: SocketPairs, options: TlsGatewayOptions): Promise<void> {
  secure.on('error', () => secure.destroy())
  const head = await readHead(secure)
  if ('problem' in head) return reject(secure, head.problem)
  const hostname = hostnameOf(head.host)
  // A connection may only be used for the name it was opened for (RFC 9110 section 7.4).
  const servedId = hostname === secure.servername ? options.resolve(hostname) : undefined
  if (servedId === undefined) return refuseUnread(secure, unknownHost(head.host))
  const { near, far } = await pairs.create()
  allowReading(secure)
  join(secure, near)
  options.connect(servedId, far, { ...head, secure: true })
}

/** Passes the end or an error of one side on to the other, with back-pressure. */
function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to)
    from.once('error', () => to.destroy()).once('close', () => to.destroySoon())
  }
}
