import type { ChildProcess, SendHandle } from 'node:child_process'
import type { Tenant } from '../../../shared/instances/instance-protocol.ts'
import { restartDelayMs } from '../../../shared/instances/restart-backoff.ts'
import type {
  DestinationCounts,
  EgressSettings,
  FromEgress,
  ToEgress,
} from '../../../shared/network/egress-protocol.ts'
import { startEgressProcess } from '../../engine/egress-process.ts'
import type { SocketHandle } from './socket-lease.ts'

export interface EgressLinkOptions {
  program: string
  /** Addresses that count as public. For tests. */
  publicAddresses?: readonly string[] | undefined
  /** `servedId`: deployment or preview whose process connected. */
  onTraffic(servedId: string, counts: DestinationCounts[]): void
  onError(message: string): void
}

/** A process with its own network namespace. */
interface ConfinedProcess {
  listener: SocketHandle
  /** Set when the process gets work. */
  tenant?: { id: string; settings: EgressSettings }
}

/** An egress process that ran this long was healthy. */
const HEALTHY_MS = 10_000
const LAST_COUNTS_MS = 60_000
/**
 * Delay before the egress process starts, so that it does not slow down the start of the first confined process. Connections of
 * that process wait in the listener.
 */
const START_DELAY_MS = 150

/**
 * The daemon's side of the egress process, which is started when the first confined process gets work. The daemon keeps each
 * listener, so when the egress process dies, connections wait until its successor accepts them.
 */
export class EgressLink {
  readonly #options: EgressLinkOptions
  readonly #confined = new Map<string, ConfinedProcess>()
  /** Includes processes that have exited, because their final counts arrive later. */
  readonly #tenants = new Map<string, string>()
  #child: ChildProcess | undefined
  #restart: NodeJS.Timeout | undefined
  #failuresInARow = 0
  #isClosed = false

  constructor(options: EgressLinkOptions) {
    this.#options = options
  }

  /** Undefined while no egress process is running. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** A process in its own network namespace is ready. */
  opened(processId: string, listener: SocketHandle): void {
    this.#confined.set(processId, { listener })
  }

  /** The process is about to run code of the tenant. */
  assigned(processId: string, { id, network, allowPrivateNetwork }: Tenant): void {
    const confined = this.#confined.get(processId)
    if (!confined || this.#isClosed) return
    const { publicAddresses } = this.#options
    const settings = {
      allowPrivateNetwork,
      ...(network && { network }),
      ...(publicAddresses && { publicAddresses }),
    }
    confined.tenant = { id, settings }
    this.#tenants.set(processId, id)
    if (this.#child) this.#introduce(processId, confined)
    else this.#restart ??= setTimeout(() => this.#start(), START_DELAY_MS).unref()
  }

  ended(processId: string): void {
    const confined = this.#confined.get(processId)
    if (!confined) return
    this.#confined.delete(processId)
    confined.listener.close()
    if (confined.tenant) this.#send({ type: 'forget', processId })
    setTimeout(() => this.#tenants.delete(processId), LAST_COUNTS_MS).unref()
  }

  /** Resolves when the egress process has exited. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#restart)
    for (const { listener } of this.#confined.values()) listener.close()
    this.#confined.clear()
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGKILL') // it only has connections of processes that have exited
    await ended
  }

  #start(): void {
    this.#restart = undefined
    const child = startEgressProcess(this.#options.program)
    const startedAt = performance.now()
    this.#child = child
    child.on('message', (message: FromEgress) => this.#receive(message))
    child.on('error', error => {
      if (child.pid === undefined) this.#restartAfter(child, `could not be started: ${error.message}`)
    })
    child.once('exit', (code, signal) => {
      if (performance.now() - startedAt > HEALTHY_MS) this.#failuresInARow = 0
      this.#restartAfter(child, signal ? `was killed by ${signal}` : `exited with code ${code}`)
    })
    for (const [processId, confined] of this.#confined) this.#introduce(processId, confined)
  }

  #restartAfter(child: ChildProcess, how: string): void {
    if (this.#child !== child) return
    this.#child = undefined
    if (this.#isClosed) return
    const delayMs = restartDelayMs(++this.#failuresInARow)
    this.#options.onError(
      `the egress process ${how}. Connections of modules and programs were lost. It restarts in ${delayMs} ms.`,
    )
    this.#restart = setTimeout(() => this.#start(), delayMs)
    this.#restart.unref()
  }

  #introduce(processId: string, { listener, tenant }: ConfinedProcess): void {
    if (!tenant) return
    this.#send({ type: 'listen', processId }, listener)
    this.#send({ type: 'policy', processId, settings: tenant.settings })
  }

  #send(message: ToEgress, handle?: SocketHandle): void {
    if (!this.#child?.connected) return
    // The exit handler handles failures.
    this.#child.send(message, handle as SendHandle | undefined, { keepOpen: true }, () => {})
  }

  #receive(message: FromEgress): void {
    if (message.type !== 'traffic') return
    for (const { processId, ...counts } of message.entries) {
      const id = this.#tenants.get(processId)
      if (id !== undefined) this.#options.onTraffic(id, [counts])
    }
  }
}
