import { HostEndedError } from './host-ending.ts'
import { shownLines } from './host-logs.ts'
import type { Instance } from './instance.ts'
import { describeStartFailure } from './start-failure.ts'

export interface ReserveOptions {
  serverName: string
  open(): Instance
  start(instance: Instance): Promise<void>
  dismiss(instance: Instance): Promise<void>
}

/**
 * Starts `count` instances that take no connections yet: all of them, or none and the reason as a `HostingError`. Each
 * has one attempt, since others serve meanwhile.
 */
export async function startReserve(count: number, options: ReserveOptions): Promise<Instance[]> {
  const reserve: Instance[] = []
  try {
    for (let missing = count; missing > 0; missing--) reserve.push(openReserve(options))
    await Promise.all(reserve.map(instance => options.start(instance)))
    await Promise.all(reserve.map(requireReady))
    return reserve
  } catch (error) {
    const output = reserve.flatMap(({ place }) => shownLines(place.host.logPath)).slice(-20)
    for (const instance of reserve) void options.dismiss(instance)
    throw describeStartFailure(options.serverName, error as Error, { isLoop: false, output })
  }
}

function openReserve({ open }: ReserveOptions): Instance {
  const instance = open()
  instance.isReserve = true
  return instance
}

/** One that was started may have ended, or been stopped, while the others still were starting. */
async function requireReady({ state, place: { host } }: Instance): Promise<void> {
  if (state === 'ready' && host.isReachable) return
  if (host.isReachable) throw new HostEndedError({ asked: true, code: null, signal: null })
  throw new HostEndedError(await host.ended)
}
