import { IdleMemory } from '../../shared/instances/idle-memory.ts'
import type { FromInstance } from '../../shared/instances/instance-protocol.ts'
import type { ServedTenant } from '../tenant/served-tenant.ts'

// Captured at start because user code gets other functions (src/instance/isolation).
const measureLoop = performance.eventLoopUtilization.bind(performance)

type Metrics = Extract<FromInstance, { type: 'metrics' }>

/** Memory and event loop utilization of this process. Releases unused memory while the tenants are idle. */
export class ProcessMetrics {
  readonly #memory = new IdleMemory()
  #loop = measureLoop()

  constructor() {
    this.touched()
  }

  /** Must be called after work that may leave garbage. */
  touched(): void {
    this.#memory.touched()
  }

  measure(tenants: Iterable<ServedTenant>): Pick<Metrics, 'memoryBytes' | 'utilization'> {
    let memoryBytes = process.memoryUsage.rss()
    let isIdle = true
    for (const { server, counters } of tenants) {
      memoryBytes += server.memoryBytes ?? 0
      if (counters.active > 0) isIdle = false
    }
    if (isIdle) this.touched()
    const loop = measureLoop()
    const { utilization } = measureLoop(loop, this.#loop)
    this.#loop = loop
    return { memoryBytes, utilization }
  }
}
