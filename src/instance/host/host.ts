import type { Socket } from 'node:net'
import type { Artifact, DescribedServer } from '../../shared/definitions/artifact.ts'
import type { FromInstance, Tenant, ToInstance } from '../../shared/instances/instance-protocol.ts'
import { addRevoked } from '../../shared/instances/revoked-tokens.ts'
import { addEnded } from '../../shared/instances/session-reports.ts'
import { type ConnectionName, markFromPeer, nameConnection } from '../http/connection.ts'
import { bindConnection, handleRequest } from '../http/handle-request.ts'
import type { Guard } from '../http/http-exchange.ts'
import { HttpServer } from '../http/http-server.ts'
import { createRedactor } from '../log/redact.ts'
import { PeerConnector } from '../peers/peer-connector.ts'
import type { PreparedServer } from '../server/prepared-server.ts'
import { StateChannel } from '../state/state-channel.ts'
import { ServedTenant } from '../tenant/served-tenant.ts'
import { endSessions, reportSessions } from '../tenant/session-reports.ts'
import { ChangeReporter } from './change-reporter.ts'
import { LeasedSocket } from './leased-socket.ts'
import { ProcessMetrics } from './process-metrics.ts'
import { refuseConnection } from './refuse-connection.ts'
import { WakeUps } from './wake-ups.ts'

type MessageOf<Type extends ToInstance['type']> = Extract<ToInstance, { type: Type }>
/** Creates a server from an artifact. Throws or rejects when it cannot be served. `bundle`: code of the handler modules. */
export type Prepare = (
  artifact: Artifact,
  tenant: Tenant,
  bundle?: string,
) => PreparedServer | Promise<PreparedServer>
/** Loads or starts a custom server and returns its definitions. */
export type Describe = (artifact: Artifact, tenant: Tenant, bundle?: string) => Promise<DescribedServer>

/** The tenants of this process. Executes the daemon's commands. */
export class Host {
  readonly #tenants = new Map<string, ServedTenant>()
  readonly #preparing = new Map<string, { tenant: Tenant }>()
  readonly #closing = new Set<Promise<void>>()
  readonly #wakeUps = new WakeUps(tenantId => this.#send({ type: 'wake', tenantId }))
  readonly #leasedSockets = new Map<number, LeasedSocket>()
  readonly peerConnector = new PeerConnector(message => this.#send(message))
  readonly #http = new HttpServer(handleRequest)
  readonly #prepare: Prepare
  readonly #send: (message: FromInstance, handle?: unknown) => void
  readonly #process = new ProcessMetrics()
  readonly #reporter = new ChangeReporter<ServedTenant>(changed => this.#reportMetrics(changed))

  /** `send` sends a message to the daemon. */
  constructor(prepare: Prepare, send: (message: FromInstance, handle?: unknown) => void) {
    this.#prepare = prepare
    this.#send = send
  }

  serve({ tenant, artifact, instanceId, bundle }: MessageOf<'serve'>): void {
    const startedAt = performance.now()
    // Placing a thousand servers leaves garbage even if no client calls them.
    this.#process.touched()
    // No attempt, or another one, under this id means that the tenant was retired or replaced in the meantime.
    const attempt = { tenant }
    this.#preparing.set(tenant.id, attempt)
    const finish = (server: PreparedServer) => {
      if (!tenant.auth) return put(server)
      return import('../sign-in/guard.ts')
        .then(({ createGuard }) => createGuard(tenant.auth!, tenant.serverName))
        .then(guard => put(server, guard))
    }
    const put = (server: PreparedServer, guard?: Guard) => {
      if (this.#preparing.get(tenant.id) !== attempt) return server.close()
      this.#preparing.delete(tenant.id)
      void this.#tenants.get(tenant.id)?.close()
      const onChange = (changed: ServedTenant) => {
        this.#reporter.changed(changed)
        if (changed.isDraining) this.#reportIfDrained(changed)
      }
      const served = new ServedTenant(tenant, instanceId, server, onChange, {
        onFailed: message => this.#send({ type: 'failed', tenantId: tenant.id, message }),
        onRestarting: how => this.#send({ type: 'restarting', tenantId: tenant.id, how }),
        onAnnouncement: announcement =>
          this.#send({ type: 'announce', tenantId: tenant.id, ...announcement }),
        ...(tenant.state && { state: this.#openState(tenant.id) }),
      })
      served.guard = guard
      served.peers.connector = this.peerConnector
      served.wakeUp = this.#wakeUps.handlerFor(tenant, () => served.log.server('info', 'woken by a request'))
      this.#tenants.set(tenant.id, served)
      const reportServing = () =>
        this.#send({ type: 'serving', tenantId: tenant.id, prepareMs: performance.now() - startedAt })
      // Any instance can rebuild the session state of a declared server.
      if (!tenant.hasSiblings || !server.sendsServerRequests) return reportServing()
      return served.peers
        .join({
          accept: socket => this.#openForPeer(tenant.id, socket),
          ask: claim => this.#send({ type: 'claim', tenantId: tenant.id, ...claim }),
        })
        .then(reportServing)
    }
    try {
      const server = this.#prepare(artifact, tenant, bundle)
      if (server instanceof Promise) server.then(finish).catch(error => this.#reportFailure(tenant, error))
      else finish(server)?.catch(error => this.#reportFailure(tenant, error))
    } catch (error) {
      this.#reportFailure(tenant, error)
    }
  }

  /** Answers with `described` or `failed`. Serves nothing. */
  async describe(describe: Describe, { tenant, artifact, bundle }: MessageOf<'describe'>): Promise<void> {
    try {
      const described = await describe(artifact, tenant, bundle)
      this.#send({ type: 'described', tenantId: tenant.id, described })
    } catch (error) {
      this.#reportFailure(tenant, error)
    }
  }

  /** Serves a connection. `socket` is undefined when the connection closed in transit. */
  connect({ tenantId, seq, head, ...named }: MessageOf<'connection'>, socket: Socket | undefined): void {
    this.#send({ type: 'took', seq })
    if (socket)
      this.#open(tenantId, socket, named, head === undefined ? undefined : Buffer.from(head, 'base64'))
  }

  /**
   * Accepts connections on a socket that the daemon shares. `handle` is undefined when it was lost in transit. The daemon then
   * keeps accepting.
   */
  leaseSocket({ tenantId, leaseId }: MessageOf<'lease'>, handle: unknown): void {
    if (!handle) return
    const accept = (socket: Socket) => this.#open(tenantId, socket)
    this.#leasedSockets.set(leaseId, new LeasedSocket(handle, { leaseId, accept, send: this.#send }))
  }

  returnSocket({ leaseId }: MessageOf<'give-back'>): void {
    this.#leasedSockets.get(leaseId)?.close()
    this.#leasedSockets.delete(leaseId)
  }

  drain({ tenantId, ...order }: MessageOf<'drain'>): void {
    const tenant = this.#tenants.get(tenantId)
    tenant?.startDraining(order)
    this.#send({ type: 'draining', tenantId })
    if (tenant) this.#reportIfDrained(tenant)
    else this.#send({ type: 'drained', tenantId })
  }

  /** Prepares for a release that takes over the address but not the sessions. */
  async keep({ tenantId }: MessageOf<'keep'>): Promise<void> {
    const port = await this.#tenants
      .get(tenantId)
      ?.peers.listen(socket => this.#openForPeer(tenantId, socket))
      .catch(() => undefined) // without a port, the sessions move to the release
    if (port !== undefined) this.#send({ type: 'kept', tenantId, port })
  }

  /** Sets the instances that still serve sessions of earlier releases. */
  setEarlierVersions({ tenantId, versions }: MessageOf<'earlier'>): void {
    this.#tenants.get(tenantId)?.peers.setEarlierVersions(versions)
  }

  shed({ tenantId, count }: MessageOf<'shed'>): void {
    const tenant = this.#tenants.get(tenantId)
    if (tenant) tenant.surplusConnections = Math.min(count, tenant.connections.size)
  }

  // Sends the last metrics. Replies after the log has been written, because the daemon may remove the log after the reply.
  async retire({ tenantId }: MessageOf<'retire'>): Promise<void> {
    const { lastSeq } = this.peerConnector
    const tenant = this.#tenants.get(tenantId)
    this.#preparing.delete(tenantId)
    this.#tenants.delete(tenantId)
    this.#wakeUps.forget(tenantId)
    if (tenant) {
      this.#reportMetrics([tenant])
      await this.#closeTenant(tenant)
      this.#reporter.forget(tenant)
    }
    this.#send({ type: 'retired', tenantId, lastSeq })
  }

  /** Receives an announcement from another instance of the deployment. */
  receiveAnnouncement({ tenantId, ...announcement }: MessageOf<'announced'>): void {
    this.#tenants.get(tenantId)?.receiveAnnouncement(announcement)
  }

  /** Confirms that the daemon now routes connections to the server. */
  confirmWakeUp({ tenantId }: MessageOf<'woken'>): void {
    this.#wakeUps.confirm(tenantId)
  }

  receiveOwner({ tenantId, session, port }: MessageOf<'claimed'>): void {
    this.#tenants.get(tenantId)?.peers.owners?.setOwner({ session, port })
  }

  /** Adds revoked tokens to the tenant's configuration, from which the guard reads them. */
  revokeTokens({ tenantId, tokens }: MessageOf<'revoked'>): void {
    const { auth } = this.#tenants.get(tenantId)?.config ?? this.#preparing.get(tenantId)?.tenant ?? {}
    if (auth) addRevoked(auth.revoked, tokens)
  }

  listSessions({ tenantId, query }: MessageOf<'list-sessions'>): void {
    const tenant = this.#tenants.get(tenantId)
    this.#send({ type: 'sessions', tenantId, sessions: tenant ? reportSessions(tenant, query) : [] })
  }

  endSessions({ tenantId, ended }: MessageOf<'end-sessions'>): void {
    const tenant = this.#tenants.get(tenantId)
    const config = this.#preparing.get(tenantId)?.tenant
    if (config) config.endedSessions = addEnded(config.endedSessions, ended)
    this.#send({ type: 'sessions-ended', tenantId, ids: tenant ? endSessions(tenant, ended) : [] })
  }

  receiveStored({ tenantId, results }: MessageOf<'stored'>): void {
    this.#tenants.get(tenantId)?.state?.receive(results)
  }

  async holdLog({ tenantId }: MessageOf<'hold-log'>): Promise<void> {
    await this.#tenants.get(tenantId)?.log.hold()
    this.#send({ type: 'log-held', tenantId })
  }

  resumeLog({ tenantId }: MessageOf<'resume-log'>): void {
    this.#tenants.get(tenantId)?.log.resume()
  }

  /** Closes all tenants and writes their logs. */
  async close(): Promise<void> {
    for (const socket of this.#leasedSockets.values()) socket.close()
    const tenants = [...this.#tenants.values()]
    this.#preparing.clear()
    this.#tenants.clear()
    for (const tenant of tenants) void this.#closeTenant(tenant)
    await Promise.all(this.#closing)
  }

  #openState(tenantId: string): StateChannel {
    return new StateChannel(operations => this.#send({ type: 'store', tenantId, operations }))
  }

  /** Closes a tenant. `close` also waits for tenants that are already closing. */
  async #closeTenant(tenant: ServedTenant): Promise<void> {
    const closed = tenant.close()
    this.#closing.add(closed)
    await closed
    this.#closing.delete(closed)
  }

  /** Redacts the error, because it may quote program output with environment values. */
  #reportFailure({ id, env }: Tenant, thrown: unknown): void {
    const { message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown))
    const failure = { message, ...(stack !== undefined && { stack }) }
    this.#send({
      type: 'failed',
      tenantId: id,
      ...(createRedactor(Object.values(env))(failure) as typeof failure),
    })
  }

  #openForPeer(tenantId: string, socket: Socket): void {
    markFromPeer(socket)
    this.#open(tenantId, socket)
  }

  #open(tenantId: string, socket: Socket, named: ConnectionName = {}, head?: Buffer): void {
    socket.on('error', ignoreBrokenConnection)
    const tenant = this.#tenants.get(tenantId)
    if (!tenant) return refuseConnection(socket)
    tenant.connections.add(socket)
    bindConnection(socket, tenant)
    nameConnection(socket, named)
    tenant.changed()
    this.#http.accept(socket, head, () => this.#onDisconnect(tenant, socket))
  }

  #onDisconnect(tenant: ServedTenant, socket: Socket): void {
    tenant.connections.delete(socket)
    if (this.#tenants.get(tenant.config.id) === tenant) tenant.changed()
  }

  #reportIfDrained(tenant: ServedTenant): void {
    if (tenant.closesConnections && tenant.connections.size === 0)
      this.#send({ type: 'drained', tenantId: tenant.config.id })
  }

  #reportMetrics(changed: ServedTenant[]): void {
    const process = this.#process.measure(this.#tenants.values())
    this.#send({ type: 'metrics', ...process, tenants: changed.map(tenant => tenant.metrics()) })
  }
}

// A connection may break at any time. Only its 'close' event matters.
function ignoreBrokenConnection(): void {}
