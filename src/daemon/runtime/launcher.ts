import { CrashHistory } from '../../shared/crash-history.ts'
import type { LogLine } from '../../shared/instance-protocol.ts'
import { isBorderless } from '../../shared/network/network-policy.ts'
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

/** Whose instances are launched. */
export interface LauncherOwner {
  readonly served: Served
  readonly placement: Placement
  /** What is opened goes in here. */
  readonly instances: InstanceSet
  /** A start may take so long. */
  readonly startMs: number
  /** Fewer instances run or are about to than there should be. */
  readonly isMissing: boolean
  /** What is launched now only answers out of its artifact until a request needs more. */
  readonly isDozing: boolean
  onReady(instance: Instance): void
  /** Trying again is of no use. */
  onGivenUp(error: Error): void
  tell(level: LogLine['level'], message: string): void
}

/** Starts the instances of one deployment, and others in the stead of those that end, until that is a crash loop. */
export class Launcher {
  readonly #owner: LauncherOwner
  // Most never crash.
  #restarts: RestartTimers | undefined
  #history: CrashHistory | undefined

  constructor(owner: LauncherOwner) {
    this.#owner = owner
  }

  /** Instances that will be started by themselves after a pause. */
  get pendingRestarts(): number {
    return this.#restarts?.size ?? 0
  }

  cancelRestarts(): void {
    this.#restarts?.clear()
  }

  /** What ended until now no longer counts for a crash loop. */
  forgetCrashes(): void {
    this.#history = undefined
  }

  launch(): void {
    this.#launch()
  }

  /** See `startReserve`: of the code as it is now. */
  async startReserve(count: number, past?: InstancePast): Promise<Instance[]> {
    const { served, instances } = this.#owner
    const code = this.#loadCode()
    return startReserve(count, {
      serverName: served.serverName,
      open: () => instances.open(this.#place(code, { beside: true }), past),
      start: instance => this.#start(instance, code),
      dismiss: instance => instances.dismiss(instance, 0),
    })
  }

  onCrash(instance: Instance, error: Error): void {
    if (!instance.isLive) return // dismissed, or its end is known already
    this.#owner.instances.forget(instance)
    void instance.place.leave()
    this.#onFailure(error, { instance, restarts: instance.restarts })
  }

  #launch(past?: InstancePast): void {
    try {
      const code = this.#loadCode()
      const place = this.#place(code, { beside: false })
      void this.#run(this.#owner.instances.open(place, past), code)
    } catch (error) {
      this.#onFailure(error as Error, { restarts: past?.restarts ?? 0 })
    }
  }

  #loadCode(): ServedCode {
    const { served } = this.#owner
    const artifact = served.loadArtifact()
    return { artifact, bundle: artifact.program?.type === 'module' ? served.loadBundle?.() : undefined }
  }

  #place({ artifact }: ServedCode, { beside }: { beside: boolean }): Place {
    const { placement, served, instances } = this.#owner
    instances.endLoans()
    // Twice ended without health: it may be the one that takes its neighbours down.
    const alone = (this.#history?.unhealthy ?? 0) >= 2
    const kind = served.isContained
      ? 'open'
      : processKindOf(artifact, () => isBorderless(served.loadTenant()))
    return placement(served.id, { alone, beside, kind, memoryMb: served.processMb })
  }

  async #start(instance: Instance, code: ServedCode, isDozing = false): Promise<void> {
    const { served, startMs } = this.#owner
    const tenant = served.loadTenant()
    const provided = await served.provide?.()
    const asleep = isDozing ? { asleep: 'here' as const } : {}
    await instance.start({ ...tenant, ...provided, ...asleep }, code, startMs)
  }

  async #run(instance: Instance, code: ServedCode): Promise<void> {
    try {
      await this.#start(instance, code, this.#owner.isDozing)
      if (instance.state === 'ready') this.#owner.onReady(instance)
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
    this.#owner.tell('error', `${who} ${error.message}; restarting ${when}`)
    this.#restarts ??= new RestartTimers()
    this.#restarts.add(delayMs, () => {
      if (this.#owner.isMissing) this.#launch({ restarts: restarts + 1, lastFailure: error.message })
    })
  }

  #countFailure(error: Error, instance: Instance | undefined): ReturnType<CrashHistory['add']> {
    // A kill for a reason is the daemon's own answer to what the process did.
    const ending = error instanceof HostEndedError ? error.ending : undefined
    const signal = ending?.reason === undefined ? (ending?.signal ?? null) : null
    this.#history ??= new CrashHistory()
    return this.#history.add({ at: Date.now(), readyAt: instance?.readyAt, signal })
  }

  #giveUp(error: Error, { isLoop, instance }: { isLoop: boolean; instance: Instance | undefined }): void {
    const output = instance ? shownLines(instance.place.host.logPath) : []
    const { serverName } = this.#owner.served
    this.#owner.onGivenUp(describeStartFailure(serverName, error, { isLoop, output }))
  }
}
