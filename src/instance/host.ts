import type { Socket } from 'node:net'
import type { Artifact, Described } from '../shared/artifact.ts'
import { IdleMemory } from '../shared/idle-memory.ts'
import type { FromInstance, Tenant, ToInstance } from '../shared/instance-protocol.ts'
import { addRevoked } from '../shared/revoked-tokens.ts'
import { BorrowedSocket } from './borrowed-socket.ts'
import { bindConnection, type ConnectionName, markFromPeer } from './http/connection-tenant.ts'
import { handleRequest } from './http/handle-request.ts'
import { HttpServer } from './http/http-server.ts'
import { createRedactor } from './log/redact.ts'
import { ChangeReporter } from './metrics.ts'
import { PeerGate } from './peers/peer-gate.ts'
import type { PreparedServer } from './prepared-server.ts'
import { ServedTenant } from './served-tenant.ts'
import type { Guard } from './sign-in/guard.ts'
import { Wakes } from './wakes.ts'

type Of<Type extends ToInstance['type']> = Extract<ToInstance, { type: Type }>
/** Makes a server of an artifact; throws or rejects when it cannot be served. `bundle`: text of a module's code. */
export type Prepare = (
  artifact: Artifact,
  tenant: Tenant,
  bundle?: string,
) => PreparedServer | Promise<PreparedServer>
/** Loads or starts a custom server to hear what it defines. */
export type Describe = (artifact: Artifact, tenant: Tenant, bundle?: string) => Promise<Described>

// Kept from the start: user code is left other ones (src/instance/isolation).
const measureLoop = performance.eventLoopUtilization.bind(performance)

/** The tenants of this process and what the daemon tells it to do with them. */
export class Host {
  readonly #tenants = new Map<string, ServedTenant>()
  readonly #preparing = new Map<string, { tenant: Tenant }>()
  readonly #ending = new Set<Promise<void>>()
  readonly #wakes = new Wakes(tenantId => this.#send({ type: 'wake', tenantId }))
  readonly #borrowed = new Map<number, BorrowedSocket>()
  readonly peerGate = new PeerGate(message => this.#send(message))
  readonly #http = new HttpServer(handleRequest)
  readonly #prepare: Prepare
  readonly #send: (message: FromInstance, handle?: unknown) => void
  readonly #memory = new IdleMemory()
  #loop = measureLoop()
  readonly #reporter = new ChangeReporter<ServedTenant>(changed => this.#reportMetrics(changed))

  /** `send`: to the daemon. */
  constructor(prepare: Prepare, send: (message: FromInstance, handle?: unknown) => void) {
    this.#prepare = prepare
    this.#send = send
    this.#memory.touched()
  }

  serve({ tenant, artifact, instanceId, bundle }: Of<'serve'>): void {
    const startedAt = performance.now()
    // A thousand servers that were put here leave a lot behind, though none was called yet.
    this.#memory.touched()
    // What waits for this tenant's id and is not this one any more was retired or replaced meanwhile.
    const attempt = { tenant }
    this.#preparing.set(tenant.id, attempt)
    const finish = (server: PreparedServer) => {
      if (!tenant.auth) return put(server)
      return import('./sign-in/guard.ts')
        .then(({ createGuard }) => createGuard(tenant.auth!, tenant.serverName))
        .then(guard => put(server, guard))
    }
    const put = (server: PreparedServer, guard?: Guard) => {
      if (this.#preparing.get(tenant.id) !== attempt) return server.close()
      this.#preparing.delete(tenant.id)
      void this.#tenants.get(tenant.id)?.close()
      const onChange = (changed: ServedTenant) => {
        this.#reporter.changed(changed)
        if (changed.isDraining) this.#tellDrained(changed)
      }
      const served = new ServedTenant(tenant, instanceId, server, onChange, {
        onFailed: message => this.#send({ type: 'failed', tenantId: tenant.id, message }),
        onRestarting: how => this.#send({ type: 'restarting', tenantId: tenant.id, how }),
        onNews: announcement => this.#send({ type: 'announce', tenantId: tenant.id, ...announcement }),
      })
      served.guard = guard
      served.siblings.gate = this.peerGate
      served.wakeUp = this.#wakes.of(tenant, () => served.log.server('info', 'woken by a request'))
      this.#tenants.set(tenant.id, served)
      const told = () =>
        this.#send({ type: 'serving', tenantId: tenant.id, prepareMs: performance.now() - startedAt })
      // Declared servers hold nothing for a session that another instance could not make up.
      if (!tenant.hasSiblings || !server.speaksUnasked) return told()
      return served.siblings
        .meet({
          accept: socket => this.#openForPeer(tenant.id, socket),
          ask: claim => this.#send({ type: 'claim', tenantId: tenant.id, ...claim }),
        })
        .then(told)
    }
    try {
      const server = this.#prepare(artifact, tenant, bundle)
      if (server instanceof Promise) server.then(finish).catch(error => this.#fail(tenant, error))
      else finish(server)?.catch(error => this.#fail(tenant, error))
    } catch (error) {
      this.#fail(tenant, error)
    }
  }

  /** Answered by `described` or `failed`; nothing is served. */
  async describe(describe: Describe, { tenant, artifact, bundle }: Of<'describe'>): Promise<void> {
    try {
      const described = await describe(artifact, tenant, bundle)
      this.#send({ type: 'described', tenantId: tenant.id, described })
    } catch (error) {
      this.#fail(tenant, error)
    }
  }

  /** `socket` is undefined when the connection was gone before it arrived here. */
  connect({ tenantId, seq, head, ...named }: Of<'connection'>, socket: Socket | undefined): void {
    this.#send({ type: 'took', seq })
    if (socket)
      this.#open(tenantId, socket, named, head === undefined ? undefined : Buffer.from(head, 'base64'))
  }

  /** `handle` is undefined when it got lost on the way: the daemon accepts on. */
  borrow({ tenantId, loanId }: Of<'lend'>, handle: unknown): void {
    if (!handle) return
    const accept = (socket: Socket) => this.#open(tenantId, socket)
    this.#borrowed.set(loanId, new BorrowedSocket(handle, { loanId, accept, send: this.#send }))
  }

  giveBack({ loanId }: Of<'give-back'>): void {
    this.#borrowed.get(loanId)?.giveBack()
    this.#borrowed.delete(loanId)
  }

  drain({ tenantId, ...order }: Of<'drain'>): void {
    const tenant = this.#tenants.get(tenantId)
    tenant?.startDraining(order)
    this.#send({ type: 'draining', tenantId })
    if (tenant) this.#tellDrained(tenant)
    else this.#send({ type: 'drained', tenantId })
  }

  /** Sessions will stay here when a release takes the address over. */
  async keep({ tenantId }: Of<'keep'>): Promise<void> {
    const port = await this.#tenants
      .get(tenantId)
      ?.siblings.listen(socket => this.#openForPeer(tenantId, socket))
      .catch(() => undefined) // without a port its sessions move to the release
    if (port !== undefined) this.#send({ type: 'kept', tenantId, port })
  }

  /** Where sessions of earlier releases are. */
  learnEarlier({ tenantId, versions }: Of<'earlier'>): void {
    this.#tenants.get(tenantId)?.siblings.learnEarlier(versions)
  }

  shed({ tenantId, count }: Of<'shed'>): void {
    const tenant = this.#tenants.get(tenantId)
    if (tenant) tenant.surplusConnections = Math.min(count, tenant.connections.size)
  }

  // Told only when the log is written, so that the daemon may remove it then; what was counted since the last report
  // goes ahead, so that it is not lost.
  async retire({ tenantId }: Of<'retire'>): Promise<void> {
    const tenant = this.#tenants.get(tenantId)
    this.#preparing.delete(tenantId)
    this.#tenants.delete(tenantId)
    this.#wakes.forget(tenantId)
    if (tenant) {
      this.#reportMetrics([tenant])
      await this.#end(tenant)
      this.#reporter.forget(tenant)
    }
    this.#send({ type: 'retired', tenantId })
  }

  /** Another instance of the deployment announced it. */
  hearAnnounced({ tenantId, ...announcement }: Of<'announced'>): void {
    this.#tenants.get(tenantId)?.hearAnnounced(announcement)
  }

  /** The daemon brings connections to the server from now on. */
  hearWoken({ tenantId }: Of<'woken'>): void {
    this.#wakes.hear(tenantId)
  }

  /** Which instance has a session from now on. */
  hearClaimed({ tenantId, session, port }: Of<'claimed'>): void {
    this.#tenants.get(tenantId)?.siblings.owners?.hear({ session, port })
  }

  /** The guard looks into what the tenant came with. */
  hearRevoked({ tenantId, tokens }: Of<'revoked'>): void {
    const { auth } = this.#tenants.get(tenantId)?.config ?? this.#preparing.get(tenantId)?.tenant ?? {}
    if (auth) addRevoked(auth, tokens)
  }

  async holdLog({ tenantId }: Of<'hold-log'>): Promise<void> {
    await this.#tenants.get(tenantId)?.log.hold()
    this.#send({ type: 'log-held', tenantId })
  }

  resumeLog({ tenantId }: Of<'resume-log'>): void {
    this.#tenants.get(tenantId)?.log.resume()
  }

  /** Ends all that runs here and writes what the logs still hold. */
  async close(): Promise<void> {
    for (const socket of this.#borrowed.values()) socket.giveBack()
    const tenants = [...this.#tenants.values()]
    this.#preparing.clear()
    this.#tenants.clear()
    for (const tenant of tenants) void this.#end(tenant)
    await Promise.all(this.#ending)
  }

  /** What a tenant's program takes to end is waited for, also by a process that is asked to end meanwhile. */
  async #end(tenant: ServedTenant): Promise<void> {
    const ended = tenant.close()
    this.#ending.add(ended)
    await ended
    this.#ending.delete(ended)
  }

  /** What a program printed is in it, and what it prints may hold values of its variables. */
  #fail({ id, env }: Tenant, thrown: unknown): void {
    const { message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown))
    const told = { message, ...(stack !== undefined && { stack }) }
    this.#send({ type: 'failed', tenantId: id, ...(createRedactor(Object.values(env))(told) as typeof told) })
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
    bindConnection(socket, tenant, named)
    tenant.changed()
    this.#http.accept(socket, head, () => this.#disconnected(tenant, socket))
  }

  #disconnected(tenant: ServedTenant, socket: Socket): void {
    tenant.connections.delete(socket)
    if (this.#tenants.get(tenant.config.id) === tenant) tenant.changed()
  }

  #tellDrained(tenant: ServedTenant): void {
    if (tenant.isLeaving && tenant.connections.size === 0)
      this.#send({ type: 'drained', tenantId: tenant.config.id })
  }

  #reportMetrics(changed: ServedTenant[]): void {
    const beside = [...this.#tenants.values()].reduce((sum, { server }) => sum + (server.memoryBytes ?? 0), 0)
    const memoryBytes = process.memoryUsage.rss() + beside
    const isQuiet = [...this.#tenants.values()].every(tenant => tenant.counters.active === 0)
    if (isQuiet) this.#memory.touched()
    const loop = measureLoop()
    const { utilization } = measureLoop(loop, this.#loop)
    this.#loop = loop
    this.#send({
      type: 'metrics',
      memoryBytes,
      utilization,
      tenants: changed.map(tenant => tenant.metrics()),
    })
  }
}

// A connection may break at any time; its 'close' event is what counts.
function ignoreBrokenConnection(): void {}

/** The daemon retired the tenant while this connection was on its way: the client may try again at once. */
function refuseConnection(socket: Socket): void {
  const body =
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"The server is being replaced; try again"}}'
  socket.end(
    `HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nRetry-After: 0\r\nConnection: close\r\n\r\n${body}`,
  )
  socket.resume()
}
