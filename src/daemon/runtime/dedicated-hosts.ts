import type { ProcessKind } from '../engine/process-engine.ts'
import type { Host } from './host.ts'
import { instanceLogPath } from './host-logs.ts'
import type { Placement } from './placement.ts'
import type { WarmPools } from './warm-pool.ts'

export interface DedicatedOptions {
  warmPools: WarmPools
  logsDir: string
  /** Memory that a spare may hold: its heap and as much besides. What may hold more needs a process of its own making. */
  spareMb: number
  startHost(kind: ProcessKind, memoryLimitMb: number): Host
}

/** A process for each instance: a spare where there is one. It ends with its instance and is never used again. */
export function dedicatedPlacement({ warmPools, logsDir, spareMb, startHost }: DedicatedOptions): Placement {
  return (servedId, { kind, memoryMb = 0 }) => {
    const host = memoryMb > spareMb ? startHost(kind, memoryMb) : warmPools[kind].take()
    try {
      host.moveLog(instanceLogPath(logsDir, servedId, host.id))
    } catch (error) {
      void host.stop()
      throw error
    }
    const leave = () => {
      void host.retire(servedId) // not awaited, for it may hang; it makes the process send its last metrics
      return host.stop()
    }
    return { instanceId: host.id, host, tenantId: servedId, describe: tenant => tenant, leave }
  }
}
