import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// The original functions, because isolation replaces them for user code (src/instance/isolation).
const setFlags = setFlagsFromString
const runInContext = runInNewContext

/** Longer than a user's pauses between bursts, because collecting also drops compiled code, which slows down the next burst. */
const QUIET_MS = 30_000
/** Interval of collecting in a process that is never quiet, for example because a metrics collector polls it. */
const BUSY_MS = 300_000
/** Minimum unused heap that justifies collecting in a busy process. */
const RESERVE_BYTES = 48 * 1024 * 1024

/**
 * Returns V8's unused memory (a fifth of an instance's memory) to the system after a quiet period, when the pause of about
 * 15 ms does not delay a request.
 */
export class IdleMemory {
  readonly #collect: () => void
  readonly #whenBusy: boolean
  #collectedAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /** `whenBusy`: also collect in a process that is never quiet. */
  constructor({ collect = collectGarbage, whenBusy = false } = {}) {
    this.#collect = collect
    this.#whenBusy = whenBusy
  }

  /** Reports activity. Restarts the quiet period. */
  touched(): void {
    if (this.#closed) return
    if (this.#whenBusy && performance.now() > this.#collectedAt + BUSY_MS) this.#collectWhenBusy()
    if (this.#timer) this.#timer.refresh()
    else this.#timer = setTimeout(() => this.#collectWhenQuiet(), QUIET_MS).unref()
  }

  /** Stops collecting permanently. The process may keep running, for example for tests. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #collectWhenQuiet(): void {
    this.#timer = undefined
    this.#collectedAt = performance.now()
    this.#collect()
  }

  #collectWhenBusy(): void {
    this.#collectedAt = performance.now()
    const { heapTotal, heapUsed } = process.memoryUsage()
    if (heapTotal - heapUsed > RESERVE_BYTES) setImmediate(() => this.#collect())
  }
}

/**
 * Runs V8's garbage collector. Only new contexts see a flag that is set at run time
 * (https://nodejs.org/api/v8.html#v8setflagsfromstringflags), so the code of a server has no `gc` function.
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
