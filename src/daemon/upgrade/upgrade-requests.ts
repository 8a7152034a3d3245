import type { ChildProcess } from 'node:child_process'
import type { DaemonState, UpgradeRequest } from '../../shared/contract/daemon/daemon-health.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { VERSION } from '../../shared/version.ts'
import type { Daemon } from '../daemon.ts'
import { errorFields, logDaemon } from '../daemon-log.ts'
import type { Upgrades } from '../http/api/daemon.ts'
// Loaded at the start, because an update of the package in place removes the files that this daemon has not loaded yet.
import { waitForHomeLock } from './take-over.ts'
import { checkProgram, upgrade, versionOf } from './upgrade.ts'

export interface UpgradeRequestsOptions {
  /** This daemon's program, the default for upgrade requests. */
  program: string
  paths: HomePaths
  lock: { release(): void }
}

/** Runs requested upgrades, one at a time. The first success is the last upgrade of this daemon. */
export class UpgradeRequests implements Upgrades {
  daemon: Daemon | undefined
  /** Current lock of the home. */
  lock: { release(): void }
  readonly #options: UpgradeRequestsOptions
  readonly #done = Promise.withResolvers<{ successor: ChildProcess }>()
  #state: DaemonState['upgrade'] = null

  constructor(options: UpgradeRequestsOptions) {
    this.#options = options
    this.lock = options.lock
  }

  get done(): Promise<{ successor: ChildProcess }> {
    return this.#done.promise
  }

  state(): DaemonState['upgrade'] {
    return this.#state
  }

  begin(request: UpgradeRequest): void {
    if (this.#state?.status === 'running')
      throw new HostingError('CONFLICT', 'An upgrade is already running.')
    this.#state = { status: 'running' }
    // Starts after the API has responded.
    setImmediate(() => void this.#run(request))
  }

  async #run({ program = this.#options.program, settings = {} }: UpgradeRequest): Promise<void> {
    try {
      logDaemon('info', 'starting the successor', { program })
      checkProgram(program)
      if (versionOf(program) !== VERSION) await this.daemon!.backUp('upgrade')
      const unlock = () => {
        this.lock.release()
        return async () => {
          this.lock = await waitForHomeLock(this.#options.paths).catch(exitWithoutHome)
        }
      }
      const { home } = this.#options.paths
      const successor = await upgrade({ program, settings, home, handOver: this.daemon!.handOver, unlock })
      this.#done.resolve({ successor })
    } catch (error) {
      logDaemon('error', 'the upgrade failed', errorFields(error))
      this.#state = { status: 'failed', error: (error as Error).message }
    }
  }
}

/** Called when a third daemon took the lock. Two writing daemons are worse than none. */
function exitWithoutHome(error: unknown): never {
  logDaemon('error', 'another daemon locked the home, exiting', errorFields(error))
  process.exit(70)
}
