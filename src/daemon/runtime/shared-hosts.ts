import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { createId } from '../../shared/ids.ts'
import type { Tenant } from '../../shared/instance-protocol.ts'
import type { Host } from './host.ts'
import { instanceLogPath, sharedHostLogPath } from './host-logs.ts'
import type { Place, PlacementOptions } from './placement.ts'
import type { WarmPool } from './warm-pool.ts'

export interface SharedHostsOptions {
  warmPool: WarmPool
  logsDir: string
  /** Tenants of one process; the next one opens another process. */
  tenantsPerHost: number
}

interface SharedHost {
  host: Host
  tenants: number
  capacity: number
}

/** What a tenant is called: its instance, and so its log file, and the tenant in its process. */
interface Names {
  instanceId: string
  tenantId: string
}

/** Processes that serve many tenants without user code each. A process without tenants is ended. */
export class SharedHosts {
  readonly #options: SharedHostsOptions
  readonly #hosts = new Set<SharedHost>()
  /** A tenant keeps its names however often it sleeps. */
  readonly #names = new Map<string, Names>()

  constructor(options: SharedHostsOptions) {
    this.#options = options
  }

  place(tenant: Tenant, { alone, beside, atDoor }: PlacementOptions): Place {
    const shared =
      (alone ? undefined : this.#findRoom()) ?? this.#open(alone ? 1 : this.#options.tenantsPerHost)
    const { instanceId, tenantId } = atDoor ? this.#nameAtDoor(tenant.id) : this.#nameOf(tenant.id, beside)
    const logFile = instanceLogPath(this.#options.logsDir, tenant.id, instanceId)
    mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 })
    shared.tenants++
    let left: Promise<void> | undefined
    const leave = () => {
      left ??= this.#leave(shared, tenantId)
      return left
    }
    return { instanceId, host: shared.host, tenant: { ...tenant, id: tenantId, logFile }, leave }
  }

  forget(tenantId: string): void {
    this.#names.delete(tenantId)
    this.#names.delete(`${tenantId}/door`)
  }

  /** Ends every process, whatever it is at; a tenant that is leaving has then left. */
  async close(): Promise<void> {
    await Promise.all([...this.#hosts].map(({ host }) => host.stop()))
  }

  #nameAtDoor(id: string): Names {
    const tenantId = `${id}/door`
    const names = this.#names.get(tenantId) ?? { instanceId: createId('inst'), tenantId }
    this.#names.set(tenantId, names)
    return names
  }

  /** Beside itself, a tenant needs other names: they may well share a process. */
  #nameOf(id: string, beside = false): Names {
    const known = this.#names.get(id)
    if (known && !beside) return known
    const instanceId = createId('inst')
    const names = { instanceId, tenantId: beside ? `${id}/${instanceId}` : id }
    this.#names.set(id, names)
    return names
  }

  #findRoom(): SharedHost | undefined {
    for (const shared of this.#hosts) {
      if (shared.host.isReachable && shared.tenants < shared.capacity) return shared
    }
    return undefined
  }

  #open(capacity: number): SharedHost {
    const host = this.#options.warmPool.take()
    const shared = { host, tenants: 0, capacity }
    try {
      host.moveLog(sharedHostLogPath(this.#options.logsDir, host.id))
    } catch (error) {
      void host.stop()
      throw error
    }
    this.#hosts.add(shared)
    void host.ended.then(() => this.#hosts.delete(shared))
    return shared
  }

  /** The channel keeps its order, so the same tenant may be placed here again before the answer has come. */
  async #leave(shared: SharedHost, tenantId: string): Promise<void> {
    await shared.host.retire(tenantId)
    shared.tenants--
    if (shared.tenants > 0) return
    this.#hosts.delete(shared)
    await shared.host.stop()
    rmSync(shared.host.logPath, { force: true })
  }
}
