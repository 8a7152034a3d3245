import type { Socket } from 'node:net'
import type {
  Announcement,
  EarlierVersion,
  SessionClaim,
  Tenant,
} from '../../shared/instances/instance-protocol.ts'
import { header } from '../http/headers.ts'
import { PeerAnnouncer } from './peer-announcer.ts'
import type { PeerConnector } from './peer-connector.ts'
import type { PeerListener, PeerListenerOptions } from './peer-listener.ts'
import type { relayToPeer } from './relay-to-peer.ts'
import type { EarlierVersions, SessionOwners } from './session-owners.ts'

type PeerTenant = PeerListenerOptions['tenant'] & { readonly config: Tenant; readonly stateKey: Buffer }

/** Connections of a tenant to the deployment's other instances, including those of earlier releases. */
export class Peers {
  /** Relays requests of sessions that other instances hold. Undefined while no other instance can hold any. */
  relay: typeof relayToPeer | undefined
  /** Owners of sessions whose first instance has stopped. */
  owners: SessionOwners | undefined
  /** Instances that still serve sessions of earlier releases. */
  earlier: EarlierVersions | undefined
  /** Opens ports and connections through the daemon. */
  connector: PeerConnector | undefined
  readonly #tenant: PeerTenant
  readonly #announce: ((announcement: Announcement) => void) | undefined
  #announcer: PeerAnnouncer | undefined
  #listener: PeerListener | undefined
  #opening: Promise<PeerListener> | undefined
  #isClosed = false

  /** `announce` is set when there may be other instances. */
  constructor(tenant: PeerTenant, announce: ((announcement: Announcement) => void) | undefined) {
    this.#tenant = tenant
    this.#announce = announce
  }

  /** Announces changes to other instances. Undefined when there are no others. */
  get announcer(): PeerAnnouncer | undefined {
    if (this.#announce) this.#announcer ??= new PeerAnnouncer(this.#announce)
    return this.#announcer
  }

  /** Loopback port where other instances relay requests to this one. Undefined when it is not listening. */
  get port(): number | undefined {
    return this.#listener?.port
  }

  /** Must be called before the first request. `accept` receives connections from peers, and `ask` sends a claim to the daemon. */
  async join(daemon: { accept(socket: Socket): void; ask(claim: SessionClaim): void }): Promise<void> {
    const [port, { SessionOwners }, { relayToPeer }] = await Promise.all([
      this.listen(daemon.accept),
      import('./session-owners.ts'),
      import('./relay-to-peer.ts'),
    ])
    this.owners = new SessionOwners(port, daemon.ask)
    this.relay = relayToPeer
  }

  /** Returns the port where other instances reach this one. */
  async listen(accept: (socket: Socket) => void): Promise<number> {
    this.#opening ??= this.#open(accept)
    this.#listener = await this.#opening
    return this.#listener.port
  }

  async #open(accept: (socket: Socket) => void): Promise<PeerListener> {
    // Sent before anything is awaited, because the daemon releases only ports that were requested before the tenant retires.
    const opening = this.#connector.openPort(this.#owner)
    const [{ port, handle }, { PeerListener }] = await Promise.all([
      opening,
      import('./peer-listener.ts'), // loaded here because most processes have no peers
    ])
    const tenant = this.#tenant
    const listener = new PeerListener({ port, handle, key: tenant.stateKey, accept, tenant })
    if (this.#isClosed) listener.close()
    return listener
  }

  /** Connects to the instance on the port. Rejects when no instance listens there. */
  async connect(port: number): Promise<Socket> {
    return await this.#connector.connect(port, this.#owner)
  }

  /** Relays requests of sessions that started in these versions, as long as one of their instances responds. */
  setEarlierVersions(versions: readonly EarlierVersion[]): void {
    this.earlier = new Map(versions.map(({ version, instances }) => [version, instances]))
    // Loaded on the first request in a session, because most releases get none.
    this.relay ??= (exchange, serve) => {
      if (header(exchange.request, 'mcp-session-id') === undefined) return false
      void import('./relay-to-peer.ts').then(({ relayToPeer }) => {
        this.relay = relayToPeer
        if (!relayToPeer(exchange, serve)) serve()
      })
      return true
    }
  }

  get #connector(): PeerConnector {
    if (!this.connector) throw new Error('The tenant has no connection to the daemon')
    return this.connector
  }

  get #owner() {
    const { id, stateKey } = this.#tenant.config
    return { tenantId: id, key: stateKey }
  }

  /** Stops accepting connections from peers. Open ones stay. */
  close(): void {
    this.#isClosed = true
    this.#announcer?.flush()
    this.#listener?.close()
  }
}
