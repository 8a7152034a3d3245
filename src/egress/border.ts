import { type AddressInfo, connect, createServer, isIP, type Server, type Socket } from 'node:net'
import { normalizeHost } from '../shared/network/destinations.ts'
import type { DestinationCounts, EgressSettings } from '../shared/network/egress-protocol.ts'
import { NetworkPolicy, type Refusal } from '../shared/network/network-policy.ts'
import { isClosedAddress } from '../shared/network/own-addresses.ts'
import { LimitError, RefusedError } from './failure.ts'
import { Ledger } from './ledger.ts'
import { Lookups } from './lookups.ts'
import type { Resolver } from './resolve.ts'
import { IDLE_MS, splice } from './splice.ts'

/** Maximum number of connections per process, including pending ones. */
const MAX_CONNECTIONS = 512
const CONNECT_MS = 30_000
/** Maximum time to wait for the policy. The daemon sends it before any code runs. */
const POLICY_TIMEOUT_MS = 10_000

export interface BorderOptions {
  processId: string
  resolver: Resolver
  /** Serves a connection from the process. */
  accept(socket: Socket, border: Border): void
  onTraffic(): void
}

/** Network access of one confined process: its listener, policy and connections. */
export class Border {
  readonly processId: string
  readonly #options: BorderOptions
  readonly #server: Server
  readonly #ledger: Ledger
  readonly #lookups: Lookups
  readonly #policy = Promise.withResolvers<NetworkPolicy>()
  readonly #sockets = new Set<Socket>()
  #policyTimer: NodeJS.Timeout | undefined
  #opening = 0
  #isClosed = false

  constructor(listener: unknown, options: BorderOptions) {
    this.processId = options.processId
    this.#options = options
    this.#ledger = new Ledger(options.onTraffic)
    this.#lookups = new Lookups(options.resolver)
    this.#server = createServer({ allowHalfOpen: true }, socket => this.#accept(socket))
    // A connection that cannot be accepted, for example without a free descriptor, stays in the queue.
    this.#server.on('error', () => {})
    this.#server.listen(listener)
    this.#policy.promise.catch(() => {}) // reported to the callers that wait for it
  }

  /** Sets the policy. No connection is made before this call. */
  setPolicy({ publicAddresses = [], ...settings }: EgressSettings): void {
    const isPrivate = (address: string) => !publicAddresses.includes(address) && isClosedAddress(address)
    this.#policy.resolve(new NetworkPolicy(settings, isPrivate))
    clearTimeout(this.#policyTimer)
  }

  takeTraffic(): DestinationCounts[] {
    return this.#ledger.take()
  }

  /**
   * Resolves the host once and connects to it. Rejects with a RefusedError, a LimitError or the error of `net.connect`.
   * `address` is the address that the process chose from those of the host.
   */
  async open(host: string, port: number, address?: string): Promise<Socket> {
    if (this.#opening + this.#sockets.size >= 2 * MAX_CONNECTIONS)
      throw new LimitError(`The process has reached the limit of ${MAX_CONNECTIONS} open connections.`)
    this.#opening++
    const name = normalizeHost(host) ?? host
    try {
      const addresses = await this.#permit(name, port, address)
      const socket = await this.#connect(name, port, addresses)
      this.#ledger.connected(name, port)
      return socket
    } catch (error) {
      this.#count(name, port, error)
      throw error
    } finally {
      this.#opening--
    }
  }

  /** Addresses of a name. Rejects with a RefusedError, a LimitError or the error of the resolver. */
  async lookup(host: string): Promise<string[]> {
    return this.#query(host, async name => {
      const addresses = await this.#lookups.addresses(name)
      const policy = await this.#waitForPolicy()
      this.#require(policy.judgeAddresses(name, 0, addresses))
      return addresses
    })
  }

  async resolve(host: string, records: string): Promise<unknown> {
    return this.#query(host, name => this.#lookups.records(name, records))
  }

  /** Joins the two connections and counts their bytes. */
  join(client: Socket, upstream: Socket, host: string, port: number): void {
    splice(client, upstream, (sent, received) => this.#ledger.moved(host, port, sent, received))
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo
  }

  /** Counts the bytes of a connection that is not joined, and resets the connection when it is idle. */
  count(upstream: Socket, host: string, port: number): void {
    upstream.setTimeout(IDLE_MS, () => upstream.resetAndDestroy())
    upstream.once('close', () => this.#ledger.moved(host, port, upstream.bytesWritten, upstream.bytesRead))
  }

  close(): void {
    this.#isClosed = true
    this.#server.close()
    clearTimeout(this.#policyTimer)
    this.#policy.reject(new LimitError('The process has exited.'))
    for (const socket of this.#sockets) socket.destroy()
  }

  #accept(socket: Socket): void {
    socket.on('error', () => {}) // the 'close' event handles broken connections
    if (this.#sockets.size >= 2 * MAX_CONNECTIONS) return void socket.resetAndDestroy()
    this.#track(socket)
    this.#options.accept(socket, this)
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    if (this.#isClosed) socket.destroy()
  }

  async #query<T>(host: string, query: (name: string) => Promise<T>): Promise<T> {
    const name = normalizeHost(host) ?? host
    try {
      const policy = await this.#waitForPolicy()
      this.#require(policy.judgeName(name))
      return await query(name)
    } catch (error) {
      if (error instanceof RefusedError) this.#count(name, 0, error)
      throw error
    }
  }

  /** Returns the addresses to try. */
  async #permit(name: string, port: number, chosen?: string): Promise<readonly string[]> {
    const policy = await this.#waitForPolicy()
    if (isIP(name) !== 0) {
      const names = this.#lookups.namesOf(name)
      const isKnown = names.some(one => policy.judgeHost(one, port) === undefined)
      this.#require(
        (isKnown ? undefined : policy.judgeHost(name, port)) ?? policy.judgeAddresses(name, port, [name]),
      )
      return [name]
    }
    this.#require(policy.judgeHost(name, port))
    const addresses = await this.#lookups.addresses(name)
    this.#require(policy.judgeAddresses(name, port, addresses))
    if (chosen === undefined || addresses.includes(chosen)) return chosen === undefined ? addresses : [chosen]
    return this.#permit(chosen, port)
  }

  #connect(host: string, port: number, addresses: readonly string[]): Promise<Socket> {
    const all = addresses.map(address => ({ address, family: isIP(address) }))
    const socket = connect({
      host,
      port,
      allowHalfOpen: true,
      autoSelectFamily: true,
      // Uses exactly the addresses that were checked.
      lookup: (_host, options, callback) =>
        options.all ? callback(null, all) : callback(null, all[0]!.address, all[0]!.family),
    })
    this.#track(socket)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => socket.destroy(timedOut(host, port)), CONNECT_MS)
      socket.once('error', reject)
      socket.once('close', () => {
        clearTimeout(timer)
        reject(timedOut(host, port))
      })
      socket.once('connect', () => {
        clearTimeout(timer)
        socket.off('error', reject)
        socket.on('error', () => {}) // `splice` passes the error on to the other side
        resolve(socket)
      })
    })
  }

  #waitForPolicy(): Promise<NetworkPolicy> {
    const fail = () =>
      this.#policy.reject(
        new LimitError(`The daemon sent no network policy within ${POLICY_TIMEOUT_MS / 1000} s.`),
      )
    this.#policyTimer ??= setTimeout(fail, POLICY_TIMEOUT_MS).unref()
    return this.#policy.promise
  }

  #require(refusal: Refusal | undefined): void {
    if (refusal) throw new RefusedError(refusal)
  }

  #count(name: string, port: number, error: unknown): void {
    if (error instanceof RefusedError) this.#ledger.refused(name, port, error.refusal.reason)
    else if (!(error instanceof LimitError)) this.#ledger.failed(name, port)
  }
}

function timedOut(host: string, port: number): Error {
  return Object.assign(new Error(`connect ETIMEDOUT ${host}:${port}`), {
    code: 'ETIMEDOUT',
    syscall: 'connect',
  })
}
