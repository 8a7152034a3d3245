import { rmSync } from 'node:fs'
import type { Tenant } from '../../shared/instance-protocol.ts'
import type { Host } from './host.ts'
import { instanceLogPath } from './host-logs.ts'
import type { Place } from './placement.ts'

/** What a tenant is called: its instance, and so its log file, and the tenant in its process. */
export interface Names {
  instanceId: string
  tenantId: string
}

/** A process that serves many tenants; it is ended with the last one. */
export class SharedHost {
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

  get hasRoom(): boolean {
    return this.host.isReachable && this.#tenants < this.#capacity
  }

  take(servedId: string, names: Names): Place {
    this.#tenants++
    return new SharedPlace(this, servedId, names)
  }

  /** The channel keeps its order, so the same tenant may be placed here again before the answer has come. */
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

/** One of thousands, so it keeps nothing that its process knows. */
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
