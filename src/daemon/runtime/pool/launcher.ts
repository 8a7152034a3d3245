import { CrashHistory } from '../../../shared/instances/crash-history.ts'
import { restartDelayMs } from '../../../shared/instances/restart-backoff.ts'
import { isBorderless } from '../../../shared/network/network-policy.ts'
import { lastLogLines } from '../logs/host-logs.ts'
import { type Place, processKindOf } from '../placement/placement.ts'
import type { ServedCode } from '../process/host.ts'
import { HostEndedError } from '../process/host-ending.ts'
import { describeStartFailure, isFinalFailure } from '../process/start-failure.ts'
import type { Served } from '../served.ts'
import type { Instance, InstanceHistory } from './instance.ts'
import type { InstanceSet } from './instance-set.ts'
import type { PoolOptions } from './pool-options.ts'
import { startReserve } from './reserve.ts'
import { RestartTimers } from './restart-timers.ts'

export interface LauncherOwner {
  readonly served: Served
  readonly options: PoolOptions
  /** Launched instances are added here. */
  readonly instances: InstanceSet
  /** True when fewer instances than desired are running, starting or waiting for a restart. */
  readonly isMissing: boolean
  /** True when instances launched now answer only from the artifact until a request needs more. */
  readonly listsOnly: boolean
  onReady(instance: Instance): void
  /** Called after a crash loop, and when another attempt would not help. */
  onGiveUp(error: Error): void
}

/** Starts the instances of one deployment and restarts crashed ones. Gives up after a crash loop. */
export class Launcher {
  readonly #owner: LauncherOwner
  // Created at the first crash, because most deployments never crash.
  #restarts: RestartTimers | undefined
  #history: CrashHistory | undefined

  constructor(owner: LauncherOwner) {
    this.#owner = owner
  }

  /** Number of restarts that wait for their back-off. */
  get pendingRestarts(): number {
    return this.#restarts?.size ?? 0
  }

  cancelRestarts(): void {
    this.#restarts?.clear()
  }

  /** Past crashes no longer count towards a crash loop. */
  forgetCrashes(): void {
    this.#history = undefined
  }

  /** Starts one instance, and reports to the owner when it is ready. */
  async launch(history?: InstanceHistory): Promise<void> {
    let instance: Instance | undefined
    try {
      const code = this.#loadCode()
      instance = this.#owner.instances.open(this.#place(code, { alongside: false }), history)
      await this.#start(instance, code, this.#owner.listsOnly)
      if (instance.state === 'ready') this.#owner.onReady(instance)
    } catch (error) {
      if (instance) this.onFailed(instance, error as Error)
      else this.#restart(error as Error, { restarts: history?.restarts ?? 0 })
    }
  }

  /** Starts instances with the current code that do not take connections yet, see `startReserve`. */
  async startReserve(count: number, history?: InstanceHistory): Promise<Instance[]> {
    const { served, instances } = this.#owner
    const code = this.#loadCode()
    return startReserve(count, {
      serverName: served.serverName,
      open: () => instances.open(this.#place(code, { alongside: true }), history),
      start: instance => this.#start(instance, code),
      dismiss: instance => instances.dismiss(instance, 0),
    })
  }

  onFailed(instance: Instance, error: Error): void {
    if (!instance.isLive) return // dismissed, a reserve, or the failure is already known
    this.#owner.instances.remove(instance)
    void instance.place.leave()
    this.#restart(error, { instance, restarts: instance.restarts })
  }

  #loadCode(): ServedCode {
    const { served } = this.#owner
    const artifact = served.loadArtifact()
    return { artifact, bundle: artifact.program?.type === 'module' ? served.loadBundle?.() : undefined }
  }

  #place({ artifact }: ServedCode, { alongside }: { alongside: boolean }): Place {
    const { options, served, instances } = this.#owner
    instances.endLeases()
    // After two failures in a row without becoming healthy, the tenant may be the one that crashes its shared process.
    const alone = (this.#history?.unhealthy ?? 0) >= 2
    const kind = served.isContained
      ? 'open'
      : processKindOf(artifact, () => isBorderless(served.loadTenant()))
    return options.placements[served.placement](served.id, {
      alone,
      alongside,
      kind,
      memoryMb: served.processMb,
      inspectPort: served.inspectPort,
    })
  }

  async #start(instance: Instance, code: ServedCode, listsOnly = false): Promise<void> {
    const { served, options } = this.#owner
    const provided = await served.provide?.()
    const asleep = listsOnly ? { asleep: 'here' as const } : {}
    const tenant = () => ({ ...served.loadTenant(), ...provided, ...asleep })
    await instance.start(tenant, code, options.limits.startMs)
  }

  /** `instance` is undefined when the code could not be loaded or no process could be started. */
  #restart(error: Error, { instance, restarts }: { instance?: Instance; restarts: number }): void {
    const { served, options } = this.#owner
    const { failuresInARow, isLoop } = this.#countFailure(error, instance)
    if (isLoop || isFinalFailure(error)) {
      const output = instance ? lastLogLines(instance.place.host.logPath) : []
      return this.#owner.onGiveUp(describeStartFailure(served.serverName, error, { isLoop, output }))
    }
    const delayMs = restartDelayMs(failuresInARow)
    const who = instance ? `instance ${instance.id}` : 'an instance'
    const when = delayMs === 0 ? 'now' : `in ${delayMs} ms`
    options.log(served.id, 'error', `${who} ${error.message}; restarting ${when}`)
    this.#restarts ??= new RestartTimers()
    this.#restarts.add(delayMs, () => {
      if (this.#owner.isMissing) void this.launch({ restarts: restarts + 1, lastFailure: error.message })
    })
  }

  #countFailure(error: Error, instance: Instance | undefined): ReturnType<CrashHistory['add']> {
    // A signal with a known reason did not come from outside.
    const ending = error instanceof HostEndedError ? error.ending : undefined
    const signal = ending?.reason === undefined ? (ending?.signal ?? null) : null
    this.#history ??= new CrashHistory()
    return this.#history.add({ at: Date.now(), readyAt: instance?.readyAt, signal })
  }
}
