import { setTimeout as sleep } from 'node:timers/promises'
import { HostingError, type NextStep } from '../../shared/errors.ts'

export interface WaitOptions<T> {
  read(): Promise<T>
  isDone(value: T): boolean
  /** Start of the error message: `Deployment dep_1 did not finish`. */
  failure: string
  /** True when the work continues after the timeout. */
  isContinued?: boolean
  timeoutMs: number
  signal: AbortSignal
  next?: NextStep[]
}

const FIRST_DELAY_MS = 50
const LONGEST_DELAY_MS = 2000

/** Polls with increasing delays. Throws TIMEOUT. */
export async function waitFor<T>(options: WaitOptions<T>): Promise<T> {
  const deadline = performance.now() + options.timeoutMs
  for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 1.5, LONGEST_DELAY_MS)) {
    const value = await options.read()
    if (options.isDone(value)) return value
    if (performance.now() + delay > deadline) {
      const { failure, isContinued, timeoutMs, next } = options
      const rest = isContinued ? ' It continues in the background.' : ''
      throw new HostingError('TIMEOUT', `${failure} within ${Math.round(timeoutMs / 1000)} s.${rest}`, {
        next,
      })
    }
    await sleep(delay, undefined, { signal: options.signal })
  }
}
