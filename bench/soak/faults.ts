import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchDaemon } from '../daemon.ts'
import { type ProcessId, readStat, stillRunning } from '../processes.ts'
import type { Ledger } from './ledger.ts'
import type { Rests } from './rests.ts'
import type { Samples } from './samples.ts'
import { isInSharedProcess, release, type Target } from './servers.ts'
import type { Witness } from './witness.ts'

export interface FaultsOptions {
  daemon: BenchDaemon
  targets: Target[]
  ledger: Ledger
  samples: Samples
  witness: Witness
  rests: Rests
  stopping: AbortSignal
}

/**
 * Mean seconds between two faults of a kind. The kills do not add up to a crash loop, which takes five crashes of instances
 * that never became healthy.
 */
const INTERVALS = { kill: 5, release: 15, rollback: 50, stop: 60, build: 240 } as const
const ORPHAN_MS = 10_000
/** Clients retry within this time after a server wakes up. */
const WAKE_RETRY_SECONDS = 10

/** Injects faults, and releases, rolls back, stops and builds as users do. One action at a time, except for kills. */
export class Faults {
  readonly #options: FaultsOptions
  #work: Promise<unknown> = Promise.resolve()
  #version = 1
  #restarting = false
  /** Also kills processes that several servers share. */
  killShared = true

  constructor(options: FaultsOptions) {
    this.#options = options
  }

  async run(): Promise<void> {
    await Promise.all([
      this.#repeat(INTERVALS.kill, () => this.#kill()),
      this.#repeat(INTERVALS.release, () => this.#enqueue('release', () => this.#release())),
      this.#repeat(INTERVALS.rollback, () => this.#enqueue('rollback', () => this.#rollback())),
      this.#repeat(INTERVALS.stop, () => this.#enqueue('stop', () => this.#stopAndStart())),
      this.#repeat(INTERVALS.build, () => this.#enqueue('container build', () => this.#containerBuild())),
    ])
    await this.#work
  }

  /** Restarts the daemon. The old daemon's processes must exit soon, and the new daemon starts its own. */
  restartDaemon(how: 'SIGKILL' | 'command'): Promise<void> {
    return this.#enqueue('restart of the daemon', async () => {
      const { daemon, ledger, samples } = this.#options
      const before = samples.remember()
      const over = ledger.beginFault(how === 'SIGKILL' ? 'SIGKILL of the daemon' : 'restart of the daemon')
      this.#restarting = true
      try {
        await daemon.restart(how)
        await ended(before)
      } finally {
        this.#restarting = false
        over()
      }
      for (const { pid } of stillRunning(before))
        ledger.addUnexpected('orphan', `Process ${pid} is still running although its daemon has exited`)
    })
  }

  async #repeat(seconds: number, act: () => Promise<void>): Promise<void> {
    const { stopping } = this.#options
    while (!stopping.aborted) {
      await sleep(seconds * 1000 * (0.5 + Math.random()), undefined, { signal: stopping }).catch(() => {})
      await this.#options.rests.over
      if (!stopping.aborted) await act()
    }
  }

  #enqueue(what: string, act: () => Promise<void>): Promise<void> {
    const rested = this.#work.then(() => this.#options.rests.over)
    const done = rested.then(act).catch(error => this.#options.ledger.addUnexpected(what, String(error)))
    this.#work = done
    return done
  }

  #any(matches: (target: Target) => boolean = () => true): Target {
    const open = this.#options.targets.filter(target => !target.isSteady && matches(target))
    return open[Math.floor(Math.random() * open.length)]!
  }

  async #kill(): Promise<void> {
    if (this.#restarting) return
    const { samples, targets, witness } = this.#options
    const running = await samples.running().catch(() => []) // the daemon is being restarted
    const isOpen = ({ deploymentId }: { deploymentId: string }) =>
      targets.some(target => target.deploymentId === deploymentId && !target.isSteady)
    const victims = running
      .filter(isOpen)
      .filter(victim => this.killShared || servedBy(victim.pid).length === 1)
    const victim = victims[Math.floor(Math.random() * victims.length)]
    if (!victim || this.#restarting) return
    const names = servedBy(victim.pid)
    if (names.includes('witness')) witness.killed()
    await this.#killUntilGone(victim.pid, [...names, ...waitingAt(names)])

    /**
     * Servers that a kill may also affect. A shared process also receives requests to sleeping and waking servers, and keeps the
     * connections of servers that just woke up until their next answer.
     */
    function waitingAt(served: string[]): string[] {
      const isAwake = (id: string) =>
        running.some(one => one.deploymentId === id && one.uptimeSeconds > WAKE_RETRY_SECONDS)
      const isShared = targets.some(target => served.includes(target.name) && isInSharedProcess(target))
      return isShared ? targets.filter(target => !isAwake(target.deploymentId)).map(({ name }) => name) : []
    }
    function servedBy(pid: number): string[] {
      const ids = running.filter(one => one.pid === pid).map(({ deploymentId }) => deploymentId)
      return targets.filter(target => ids.includes(target.deploymentId)).map(({ name }) => name)
    }
  }

  async #killUntilGone(pid: number, names: string[]): Promise<void> {
    const over = this.#options.ledger.beginFault('SIGKILL of an instance', names)
    const victim = readStat(pid)
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // the process has just exited
    }
    await ended(victim)
    over()
  }

  async #release(): Promise<void> {
    const target = this.#any(({ name }) => name !== 'witness')
    await release(this.#options.daemon, target, ++this.#version)
    this.#options.ledger.note('releases')
  }

  async #rollback(): Promise<void> {
    const { daemon, ledger } = this.#options
    const target = this.#any(({ name, environment }) => name !== 'witness' && environment !== 'development')
    const kept = await daemon.call<{ items: { deployment_id: string }[] }>(
      'GET',
      `/v1/deploy?name=${target.name}&environment=${target.environment}&limit=2`,
    )
    if (kept.items.length < 2) return
    const path = `/v1/deploy/${target.deploymentId}/rollback`
    const { deployment_id } = await daemon.call<{ deployment_id: string }>('POST', path, {})
    target.deploymentId = deployment_id
    ledger.note('rollbacks')
  }

  async #stopAndStart(): Promise<void> {
    const { daemon, ledger } = this.#options
    const target = this.#any(({ name }) => name !== 'witness')
    const over = ledger.beginFault('stop of a deployment', [target.name])
    try {
      await daemon.call('POST', `/v1/deploy/${target.deploymentId}/stop`)
      await sleep(1000)
      await daemon.call('POST', `/v1/deploy/${target.deploymentId}/start`)
    } finally {
      over()
    }
  }

  async #containerBuild(): Promise<void> {
    const { daemon, ledger } = this.#options
    const { projectId } = this.#any(({ kind, projectId }) => kind === 'module' && projectId !== undefined)
    let build = await daemon.call<{ id: string; status: string; errorMessage: string }>(
      'POST',
      `/api/lambda-builds/trigger/${projectId}`,
    )
    while (build.status === 'pending' || build.status === 'in_progress') {
      await sleep(250)
      build = await daemon.call('GET', `/api/lambda-builds/${build.id}`)
    }
    if (build.status !== 'succeeded')
      throw new Error(`The container build ${build.status}: ${build.errorMessage}`)
    ledger.note('container builds')
  }
}

/**
 * Waits until the processes have exited. On a busy machine, a process takes a while to exit and still answers. Gives up after
 * ORPHAN_MS.
 */
async function ended(processes: readonly ProcessId[]): Promise<void> {
  const end = performance.now() + ORPHAN_MS
  while (stillRunning(processes).length > 0 && performance.now() < end) await sleep(5)
}
