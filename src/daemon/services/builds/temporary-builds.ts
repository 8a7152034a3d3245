import { HostingError } from '../../../shared/errors.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import type { Builds } from './builds.ts'
import { nextExpiry } from './stored-builds.ts'

const CHECK_EVERY_MS = 60_000

type Dependencies = Pick<ServiceDependencies, 'background' | 'clock' | 'closing' | 'store'>

/**
 * Builds that clients make for tests and remove afterwards. Builds of a client that was killed are removed when they expire.
 */
export class TemporaryBuilds {
  readonly #deps: Dependencies
  readonly #builds: Builds
  /** Number of running tests by build. */
  readonly #tests = new Map<string, number>()

  constructor(deps: Dependencies, builds: Builds) {
    this.#deps = deps
    this.#builds = builds
  }

  /** True while a test of the build runs. */
  isTested(id: string): boolean {
    return this.#tests.has(id)
  }

  /** Runs a test. The build does not expire before the test ends. */
  async whileTested<T>(id: string, test: () => Promise<T>): Promise<T> {
    this.#tests.set(id, (this.#tests.get(id) ?? 0) + 1)
    try {
      return await test()
    } finally {
      const left = this.#tests.get(id)! - 1
      if (left > 0) this.#tests.set(id, left)
      else this.#tests.delete(id)
      const { background, clock, store } = this.#deps
      background.attempt(() => store.builds.extend(id, nextExpiry({ clock })))
    }
  }

  async #removeExpired(): Promise<void> {
    const { clock, store } = this.#deps
    const expired = store.builds.listExpired(clock.now()).filter(({ id }) => !this.isTested(id))
    for (const { id } of expired) await this.#builds.remove(id).catch(ignoreRemovedOrDeployed)
  }

  /** Removes expired builds immediately, then every minute. */
  async watch(): Promise<void> {
    const { background, closing } = this.#deps
    await this.#removeExpired().catch(background.report)
    const check = () => {
      if (!background.closing) background.run(() => this.#removeExpired())
    }
    const timer = setInterval(check, CHECK_EVERY_MS).unref()
    closing.addEventListener('abort', () => clearInterval(timer), { once: true })
  }
}

/** Ignores the error of a build that was removed or deployed in the meantime. */
function ignoreRemovedOrDeployed(error: unknown): void {
  if (!(error instanceof HostingError && ['NOT_FOUND', 'CONFLICT'].includes(error.code))) throw error
}
