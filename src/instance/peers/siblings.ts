import type { Socket } from 'node:net'
import type { Announcement, EarlierVersion, SessionClaim, Tenant } from '../../shared/instance-protocol.ts'
import { header } from '../http/headers.ts'
import type { EarlierVersions } from './earlier-versions.ts'
import type { PeerGate, PeerPort } from './peer-gate.ts'
import type { PeerListener, PeerListenerOptions } from './peer-listener.ts'
import type { relayToPeer } from './relay-to-peer.ts'
import type { SessionOwners } from './session-owners.ts'
import { SiblingNews } from './sibling-news.ts'

type Own = PeerListenerOptions['tenant'] & { readonly config: Tenant; readonly stateKey: Buffer }

/** A tenant's ties to the deployment's other instances, and to those of the releases before it. */
export class Siblings {
  /** Brings requests of sessions that others hold there; undefined while nobody else can hold one. */
  relay: typeof relayToPeer | undefined
  /** Who of them has a session that none of them began. */
  owners: SessionOwners | undefined
  /** Where sessions of earlier releases still are served. */
  earlier: EarlierVersions | undefined
  /** The daemon's help to reach peers. */
  gate: PeerGate | undefined
  readonly #tenant: Own
  readonly #tell: ((announcement: Announcement) => void) | undefined
  #news: SiblingNews | undefined
  #listener: PeerListener | undefined
  #opening: Promise<PeerListener> | undefined

  /** `tell`: where there may be other instances. */
  constructor(tenant: Own, tell: ((announcement: Announcement) => void) | undefined) {
    this.#tenant = tenant
    this.#tell = tell
  }

  /** What they are to know; undefined where there is nobody else. */
  get news(): SiblingNews | undefined {
    if (this.#tell) this.#news ??= new SiblingNews(this.#tell)
    return this.#news
  }

  /** Where they bring requests of this one's sessions, if they do: a port of loopback. */
  get port(): number | undefined {
    return this.#listener?.port
  }

  /** Before any request: `accept` gets their connections, `ask` asks the daemon. */
  async meet(daemon: { accept(socket: Socket): void; ask(claim: SessionClaim): void }): Promise<void> {
    const [port, { SessionOwners }, { relayToPeer }] = await Promise.all([
      this.listen(daemon.accept),
      import('./session-owners.ts'),
      import('./relay-to-peer.ts'),
    ])
    this.owners = new SessionOwners(port, daemon.ask)
    this.relay = relayToPeer
  }

  /** Gives the port where they reach this one from now on. */
  async listen(accept: (socket: Socket) => void): Promise<number> {
    const { PeerListener } = await import('./peer-listener.ts') // most processes have nobody to listen for
    this.#opening ??= this.#openPort().then(
      ({ port, handle }) =>
        new PeerListener({ port, handle, key: this.#tenant.stateKey, accept, tenant: this.#tenant }),
    )
    this.#listener = await this.#opening
    return this.#listener.port
  }

  /** A connection to the instance that listens there. Rejects when there is none. */
  async connect(port: number): Promise<Socket> {
    return await this.#gate.connect(port, this.#asker)
  }

  /** Requests of sessions that began in these versions go there, as long as somebody answers there. */
  learnEarlier(versions: readonly EarlierVersion[]): void {
    this.earlier = new Map(versions.map(({ version, instances }) => [version, instances]))
    // Loaded with the first request: a release mostly meets no session.
    this.relay ??= (exchange, serve) => {
      if (header(exchange.request, 'mcp-session-id') === undefined) return false
      void import('./relay-to-peer.ts').then(({ relayToPeer }) => {
        this.relay = relayToPeer
        if (!relayToPeer(exchange, serve)) serve()
      })
      return true
    }
  }

  #openPort(): Promise<PeerPort> {
    return this.#gate.openPort(this.#asker)
  }

  get #gate(): PeerGate {
    if (!this.gate) throw new Error('no daemon')
    return this.gate
  }

  get #asker() {
    const { id, stateKey } = this.#tenant.config
    return { tenantId: id, key: stateKey }
  }

  /** They come here no more; connections that are open stay. */
  leave(): void {
    this.#news?.flush()
    this.#listener?.close()
  }
}
