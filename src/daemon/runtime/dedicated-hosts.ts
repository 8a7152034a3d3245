import { instanceLogPath } from './host-logs.ts'
import type { Placement } from './placement.ts'
import type { WarmPools } from './warm-pool.ts'

/** A process for each instance: a spare where there is one. It ends with its instance and is never used again. */
export function dedicatedPlacement(warmPools: WarmPools, logsDir: string): Placement {
  return (tenant, { kind }) => {
    const host = warmPools[kind].take()
    try {
      host.moveLog(instanceLogPath(logsDir, tenant.id, host.id))
    } catch (error) {
      void host.stop()
      throw error
    }
    const leave = () => {
      void host.retire(tenant.id) // not awaited, for it may hang; it makes the process send its last metrics
      return host.stop()
    }
    return { instanceId: host.id, host, tenant, leave }
  }
}
