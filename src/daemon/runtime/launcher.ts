import { CrashHistory } from '../../shared/crash-history.ts'
import type { LogLine } from '../../shared/instance-protocol.ts'
import { restartDelayMs } from '../../shared/restart-backoff.ts'
import type { ServedCode } from './host.ts'
import { HostEndedError } from './host-ending.ts'
import { shownLines } from './host-logs.ts'
import type { Instance, InstancePast } from './instance.ts'
import type { InstanceSet } from './instance-set.ts'
import { type Place, type Placement, processKindOf } from './placement.ts'
import { startReserve } from './reserve.ts'
import { RestartTimers } from './restart-timers.ts'
import { describeStartFailure, isFinalFailure } from './start-failure.ts'
import type { Served } from './supervisor.ts'

export interface LauncherOptions {
  served: Served
  placement: Placement
  /** What it opens goes in here. */
  instances: InstanceSet
  /** A start may take so long. */
  startMs: number
  /** Fewer instances run or are about to than there should be. */
  isMissing(): boolean
  /** What is launched now only answers out of its artifact until a request needs more. */
  isDozing(): boolean
  onReady(instance: Instance): void
  /** Trying again is of no use. */
  onFailed(error: Error): void
  tell(level: LogLine['level'], message: string): void
}

/** Starts the instances of one deployment, and others in the stead of those that end, until that is a crash loop. */
export class Launcher {
  readonly #options: LauncherOptions
  readonly #restarts = new RestartTimers()
  #history = new CrashHistory()

  constructor(options: LauncherOptions) {
    this.#options = options
  }

  /** Instances that will be started by themselves after a pause. */
  get pendingRestarts(): number {
    return this.#restarts.size
  }

  cancelRestarts(): void {
    this.#restarts.clear()
  }

  /** What ended until now no longer counts for a crash loop. */
  forgetCrashes(): void {
    this.#history = new CrashHistory()
  }

  launch(): void {
    this.#launch(0)
  }

  /** See `startReserve`: of the code as it is now. */
  async startReserve(
    count: number,
    { restarts, lastFailure }: InstancePast = { restarts: 0 },
  ): Promise<Instance[]> {
    const { served, instances } = this.#options
    const code = this.#loadCode()
    return startReserve(count, {
      serverName: served.tenant.serverName,
      open: () => instances.open(this.#place(code, { beside: true }), restarts, lastFailure),
      start: instance => this.#start(instance, code),
      dismiss: instance => instances.dismiss(instance, 0),
    })
  }

  onCrash(instance: Instance, error: Error): void {
    if (!instance.isLive) return // dismissed, or its end is known already
    this.#options.instances.forget(instance)
    void instance.place.leave()
    this.#onFailure(error, { instance, restarts: instance.restarts })
  }

  #launch(restarts: number, lastFailure?: string): void {
    try {
      const code = this.#loadCode()
      const place = this.#place(code, { beside: false })
      void this.#run(this.#options.instances.open(place, restarts, lastFailure), code)
    } catch (error) {
      this.#onFailure(error as Error, { restarts })
    }
  }

  #loadCode(): ServedCode {
    const { served } = this.#options
    return { artifact: served.loadArtifact(), bundle: served.loadBundle?.() }
  }

  #place({ artifact }: ServedCode, { beside }: { beside: boolean }): Place {
    const { placement, served, instances } = this.#options
    instances.endLoans()
    // Twice ended without health: it may be the one that takes its neighbours down.
    const alone = this.#history.unhealthy >= 2
    const kind = served.isContained ? 'open' : processKindOf(artifact)
    const isDozing = !beside && this.#options.isDozing()
    const tenant = isDozing ? { ...served.tenant, asleep: 'here' as const } : served.tenant
    return placement(tenant, { alone, beside, kind, memoryMb: served.processMb })
  }

  async #start(instance: Instance, code: ServedCode): Promise<void> {
    const provided = await this.#options.served.provide?.()
    await instance.start(code, this.#options.startMs, provided)
  }

  async #run(instance: Instance, code: ServedCode): Promise<void> {
    try {
      await this.#start(instance, code)
      if (instance.state === 'ready') this.#options.onReady(instance)
    } catch (error) {
      this.onCrash(instance, error as Error)
    }
  }

  /** Without `instance` there was not even a process. */
  #onFailure(error: Error, { instance, restarts }: { instance?: Instance; restarts: number }): void {
    const { failuresInARow, isLoop } = this.#countFailure(error, instance)
    if (isLoop || isFinalFailure(error)) return this.#giveUp(error, { isLoop, instance })
    const delayMs = restartDelayMs(failuresInARow)
    const who = instance ? `instance ${instance.id}` : 'an instance'
    const when = delayMs === 0 ? 'now' : `in ${delayMs} ms`
    this.#options.tell('error', `${who} ${error.message}; restarting ${when}`)
    this.#restarts.add(delayMs, () => {
      if (this.#options.isMissing()) this.#launch(restarts + 1, error.message)
    })
  }

  #countFailure(error: Error, instance: Instance | undefined): ReturnType<CrashHistory['add']> {
    // A kill for a reason is the daemon's own answer to what the process did.
    const ending = error instanceof HostEndedError ? error.ending : undefined
    const signal = ending?.reason === undefined ? (ending?.signal ?? null) : null
    return this.#history.add({ at: Date.now(), readyAt: instance?.readyAt, signal })
  }

  #giveUp(error: Error, { isLoop, instance }: { isLoop: boolean; instance: Instance | undefined }): void {
    const output = instance ? shownLines(instance.place.host.logPath) : []
    const { serverName } = this.#options.served.tenant
    this.#options.onFailed(describeStartFailure(serverName, error, { isLoop, output }))
  }
}
