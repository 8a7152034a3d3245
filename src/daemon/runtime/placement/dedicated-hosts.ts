import type { ProcessKind } from '../../engine/process-engine.ts'
import { instanceLogPath } from '../logs/host-logs.ts'
import type { Host } from '../process/host.ts'
import type { Placement } from './placement.ts'
import type { WarmPools } from './warm-pool.ts'

export interface DedicatedOptions {
  warmPools: WarmPools
  logsDir: string
  /** Memory limit of a spare: twice its heap. A tenant with a higher limit gets a newly started process. */
  spareMb: number
  startHost(kind: ProcessKind, options: StartHostOptions): Host
}

/** Settings in which a process may differ from a spare. */
export interface StartHostOptions {
  memoryLimitMb?: number
  inspectPort?: number | undefined
}

/** One process per instance, taken from the spares if possible. It stops with its instance and is never reused. */
export function dedicatedPlacement({ warmPools, logsDir, spareMb, startHost }: DedicatedOptions): Placement {
  return (servedId, { kind, memoryMb = 0, inspectPort }) => {
    const host =
      memoryMb > spareMb || inspectPort !== undefined
        ? startHost(kind, { ...(memoryMb > spareMb && { memoryLimitMb: memoryMb }), inspectPort })
        : warmPools[kind].take()
    try {
      host.moveLog(instanceLogPath(logsDir, servedId, host.id))
    } catch (error) {
      void host.stop()
      throw error
    }
    const leave = () => {
      void host.retire(servedId) // Makes the process send its last metrics. Not awaited, because the process may hang.
      return host.stop()
    }
    return { instanceId: host.id, host, tenantId: servedId, describe: tenant => tenant, leave }
  }
}
