import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Kept from the start: user code is left other ones (src/instance/isolation).
const setFlags = setFlagsFromString
const runInContext = runInNewContext

/** Collecting drops compiled code as well, so the burst after it starts slowly: not between two bursts of one user. */
const QUIET_MS = 30_000
/** A process that is asked something every few seconds, by a page or a collector of metrics, is never quiet … */
const BUSY_MS = 300_000
/** … and may hold many times what it uses. */
const RESERVE_BYTES = 48 * 1024 * 1024

/**
 * Gives the system back what V8 holds in reserve (a fifth of an instance's memory) once the process has been quiet for a
 * while. The pause of some 15 ms then hits nobody, and an idle process does nothing more.
 */
export class IdleMemory {
  readonly #collect: () => void
  readonly #whenBusy: boolean
  #collectedAt = performance.now()
  #timer: NodeJS.Timeout | undefined

  /** `whenBusy`: a pause now and then is better than a process that is large for ever. */
  constructor({ collect = collectGarbage, whenBusy = false } = {}) {
    this.#collect = collect
    this.#whenBusy = whenBusy
  }

  /** Something happened: wait for the next quiet. */
  touched(): void {
    if (this.#whenBusy && performance.now() > this.#collectedAt + BUSY_MS) this.#lookBusy()
    if (this.#timer) this.#timer.refresh()
    else this.#timer = setTimeout(() => this.#giveBack(), QUIET_MS).unref()
  }

  #giveBack(): void {
    this.#timer = undefined
    this.#collectedAt = performance.now()
    this.#collect()
  }

  #lookBusy(): void {
    this.#collectedAt = performance.now()
    const { heapTotal, heapUsed } = process.memoryUsage()
    if (heapTotal - heapUsed > RESERVE_BYTES) setImmediate(() => this.#collect())
  }
}

/**
 * V8's own collector, reached at run time and by this process alone: a flag that is set later is seen by new contexts only
 * (https://nodejs.org/api/v8.html#v8setflagsfromstringflags), so the code of a server never finds a `gc`.
 */
export function collectGarbage(): void {
  setFlags('--expose-gc')
  const collect = runInContext('gc') as (options: {
    type: 'major'
    execution: 'sync'
    flavor: string
  }) => void
  setFlags('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
