import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Kept from the start: user code is left other ones (src/instance/isolation).
const setFlags = setFlagsFromString
const runInContext = runInNewContext

/** Collecting drops compiled code as well, so the burst after it starts slowly: not between two bursts of one user. */
const QUIET_MS = 30_000

/**
 * Gives the system back what V8 holds in reserve (a fifth of an instance's memory) once the process has been quiet for a
 * while. The pause of some 15 ms then hits nobody, and an idle process does nothing more.
 */
export class IdleMemory {
  readonly #collect: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(collect = collectGarbage) {
    this.#collect = collect
  }

  /** Something happened: wait for the next quiet. */
  touched(): void {
    if (this.#timer) this.#timer.refresh()
    else this.#timer = setTimeout(() => this.#giveBack(), QUIET_MS).unref()
  }

  #giveBack(): void {
    this.#timer = undefined
    this.#collect()
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
