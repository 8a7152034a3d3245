import { rmSync } from 'node:fs'
import { createId } from '../../../shared/ids.ts'
import type { Tenant } from '../../../shared/instances/instance-protocol.ts'
import { instanceLogPath, sharedHostLogPath } from '../logs/host-logs.ts'
import type { Host } from '../process/host.ts'
import type { Place, PlacementOptions } from './placement.ts'
import type { WarmPool } from './warm-pool.ts'

export interface SharedHostsOptions {
  warmPool: WarmPool
  logsDir: string
  /** Maximum number of tenants per process. The next tenant starts another process. */
  tenantsPerHost: number
}

/** Ids of a tenant: its instance (and log file), and the tenant in its process. */
interface Names {
  instanceId: string
  tenantId: string
}

/** Processes that serve many tenants without user code. A process without tenants is stopped. */
export class SharedHosts {
  readonly #options: SharedHostsOptions
  readonly #hosts = new Set<SharedHost>()
  /** A tenant keeps its names across sleeps. */
  readonly #names = new Map<string, Names>()

  constructor(options: SharedHostsOptions) {
    this.#options = options
  }

  place(servedId: string, { alone, alongside, whileAsleep }: PlacementOptions): Place {
    const free = alone ? undefined : [...this.#hosts].find(({ hasCapacity }) => hasCapacity)
    const shared = free ?? this.#open(alone ? 1 : this.#options.tenantsPerHost)
    const names = whileAsleep ? this.#namesWhileAsleep(servedId) : this.#namesOf(servedId, alongside)
    return shared.place(servedId, names)
  }

  forget(tenantId: string): void {
    this.#names.delete(tenantId)
    this.#names.delete(`${tenantId}/asleep`)
  }

  /** Stops every process, including those with tenants. */
  async close(): Promise<void> {
    await Promise.all([...this.#hosts].map(({ host }) => host.stop()))
  }

  #namesWhileAsleep(id: string): Names {
    const tenantId = `${id}/asleep`
    const names = this.#names.get(tenantId) ?? { instanceId: createId('inst'), tenantId }
    this.#names.set(tenantId, names)
    return names
  }

  /** Names of a tenant. Its replacement needs different names, because both may be in the same process. */
  #namesOf(id: string, alongside = false): Names {
    const known = this.#names.get(id)
    if (known && !alongside) return known
    const instanceId = createId('inst')
    const names = { instanceId, tenantId: alongside ? `${id}/${instanceId}` : id }
    this.#names.set(id, names)
    return names
  }

  #open(capacity: number): SharedHost {
    const { warmPool, logsDir } = this.#options
    const host = warmPool.take()
    const shared = new SharedHost(host, { logsDir, capacity, onEmpty: () => this.#hosts.delete(shared) })
    try {
      host.moveLog(sharedHostLogPath(logsDir, host.id))
    } catch (error) {
      void host.stop()
      throw error
    }
    this.#hosts.add(shared)
    void host.ended.then(() => this.#hosts.delete(shared))
    return shared
  }
}

/** A process that stops with its last tenant. */
class SharedHost {
  readonly host: Host
  readonly #logsDir: string
  readonly #capacity: number
  readonly #onEmpty: () => void
  #tenants = 0

  constructor(host: Host, options: { logsDir: string; capacity: number; onEmpty(): void }) {
    this.host = host
    this.#logsDir = options.logsDir
    this.#capacity = options.capacity
    this.#onEmpty = options.onEmpty
  }

  get hasCapacity(): boolean {
    return this.host.isReachable && this.#tenants < this.#capacity
  }

  place(servedId: string, names: Names): Place {
    this.#tenants++
    return new SharedPlace(this, servedId, names)
  }

  /** Messages to the process keep their order, so the tenant may be placed here again before the answer arrives. */
  async leave(tenantId: string): Promise<void> {
    await this.host.retire(tenantId)
    this.#tenants--
    if (this.#tenants > 0) return
    this.#onEmpty()
    await this.host.stop()
    rmSync(this.host.logPath, { force: true })
  }

  logFile(servedId: string, instanceId: string): string {
    return instanceLogPath(this.#logsDir, servedId, instanceId)
  }
}

/** There are thousands of places, so a place does not store anything that the process knows. */
class SharedPlace implements Place {
  readonly instanceId: string
  readonly tenantId: string
  readonly #servedId: string
  readonly #shared: SharedHost
  #left: Promise<void> | undefined

  constructor(shared: SharedHost, servedId: string, { instanceId, tenantId }: Names) {
    this.instanceId = instanceId
    this.tenantId = tenantId
    this.#servedId = servedId
    this.#shared = shared
  }

  get host(): Host {
    return this.#shared.host
  }

  describe(tenant: Tenant): Tenant {
    const logFile = this.#shared.logFile(this.#servedId, this.instanceId)
    return { ...tenant, id: this.tenantId, logFile }
  }

  leave(): Promise<void> {
    this.#left ??= this.#shared.leave(this.tenantId)
    return this.#left
  }
}
