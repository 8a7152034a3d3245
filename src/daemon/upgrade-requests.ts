import type { ChildProcess } from 'node:child_process'
import type { DaemonState, UpgradeRequest } from '../shared/daemon-health.ts'
import { HostingError } from '../shared/errors.ts'
import type { HomePaths } from '../shared/paths.ts'
import { VERSION } from '../shared/version.ts'
import type { Daemon } from './daemon.ts'
import { errorFields, logDaemon } from './daemon-log.ts'
import type { Upgrades } from './http/api/daemon.ts'
// Loaded at the start: an update of the package in place removes the files that this daemon has not loaded yet.
import { lockFreedHome } from './take-over.ts'
import { checkProgram, upgrade, versionOf } from './upgrade.ts'

export interface UpgradeRequestsOptions {
  /** This daemon's own, which takes over where a request names none. */
  program: string
  paths: HomePaths
  lock: { release(): void }
}

/** Upgrades that are asked for, one at a time; the first that succeeds is the last. */
export class UpgradeRequests implements Upgrades {
  daemon: Daemon | undefined
  /** Of the home, as it is held now. */
  lock: { release(): void }
  readonly #options: UpgradeRequestsOptions
  readonly #done = Promise.withResolvers<{ heir: ChildProcess }>()
  #state: DaemonState['upgrade'] = null

  constructor(options: UpgradeRequestsOptions) {
    this.#options = options
    this.lock = options.lock
  }

  /** The process that serves in the stead of this one. */
  get done(): Promise<{ heir: ChildProcess }> {
    return this.#done.promise
  }

  state(): DaemonState['upgrade'] {
    return this.#state
  }

  begin(request: UpgradeRequest): void {
    if (this.#state?.status === 'running')
      throw new HostingError('CONFLICT', 'Another daemon is about to take over already.')
    this.#state = { status: 'running' }
    // The answer leaves first.
    setImmediate(() => void this.#run(request))
  }

  async #run({ program = this.#options.program, settings = {} }: UpgradeRequest): Promise<void> {
    try {
      logDaemon('info', 'another daemon is to take over', { program })
      checkProgram(program)
      if (versionOf(program) !== VERSION) await this.daemon!.backUp('upgrade')
      const unlock = () => {
        this.lock.release()
        return async () => {
          this.lock = await lockFreedHome(this.#options.paths).catch(loseHome)
        }
      }
      const { home } = this.#options.paths
      const heir = await upgrade({ program, settings, home, handOver: this.daemon!.handOver, unlock })
      this.#done.resolve({ heir })
    } catch (error) {
      logDaemon('error', 'no other daemon took over', errorFields(error))
      this.#state = { status: 'failed', error: (error as Error).message }
    }
  }
}

/** A third daemon has it: two that write would be worse than none, and that one or the next command serves. */
function loseHome(error: unknown): never {
  logDaemon('error', 'another daemon has the home, exiting', errorFields(error))
  process.exit(70)
}
