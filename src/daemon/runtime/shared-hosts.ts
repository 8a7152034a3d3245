import { createId } from '../../shared/ids.ts'
import { sharedHostLogPath } from './host-logs.ts'
import type { Place, PlacementOptions } from './placement.ts'
import { type Names, SharedHost } from './shared-host.ts'
import type { WarmPool } from './warm-pool.ts'

export interface SharedHostsOptions {
  warmPool: WarmPool
  logsDir: string
  /** Tenants of one process; the next one opens another process. */
  tenantsPerHost: number
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

  place(servedId: string, { alone, beside, atDoor }: PlacementOptions): Place {
    const shared =
      (alone ? undefined : this.#findRoom()) ?? this.#open(alone ? 1 : this.#options.tenantsPerHost)
    const names = atDoor ? this.#nameAtDoor(servedId) : this.#nameOf(servedId, beside)
    return shared.take(servedId, names)
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
    for (const shared of this.#hosts) if (shared.hasRoom) return shared
    return undefined
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
