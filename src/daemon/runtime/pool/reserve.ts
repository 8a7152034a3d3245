import { lastLogLines } from '../logs/host-logs.ts'
import { HostEndedError } from '../process/host-ending.ts'
import { describeStartFailure } from '../process/start-failure.ts'
import type { Instance } from './instance.ts'

export interface ReserveOptions {
  serverName: string
  open(): Instance
  start(instance: Instance): Promise<void>
  dismiss(instance: Instance): Promise<void>
}

/**
 * Starts `count` instances that do not take connections yet. If one fails, stops all of them and rejects with a `HostingError`.
 * Each gets one attempt, since the current instances keep serving.
 */
export async function startReserve(count: number, options: ReserveOptions): Promise<Instance[]> {
  const reserve: Instance[] = []
  try {
    for (let missing = count; missing > 0; missing--) {
      const instance = options.open()
      instance.isReserve = true
      reserve.push(instance)
    }
    await Promise.all(reserve.map(instance => options.start(instance)))
    await Promise.all(reserve.map(requireReady))
    return reserve
  } catch (error) {
    const output = reserve.flatMap(({ place }) => lastLogLines(place.host.logPath)).slice(-20)
    for (const instance of reserve) void options.dismiss(instance)
    throw describeStartFailure(options.serverName, error as Error, { isLoop: false, output })
  }
}

/** Rejects unless the instance is ready. It may have exited or been stopped while the others were still starting. */
async function requireReady({ state, place: { host } }: Instance): Promise<void> {
  if (state === 'ready' && host.isReachable) return
  if (host.isReachable) throw new HostEndedError({ requested: true, code: null, signal: null })
  throw new HostEndedError(await host.ended)
}
