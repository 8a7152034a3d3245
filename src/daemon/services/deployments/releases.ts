import type { Failure } from '../../../shared/contract/fields.ts'
import { HostingError } from '../../../shared/errors.ts'
import { KeyedQueue } from '../../../shared/keyed-queue.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import { closeUnusedAddress } from '../addresses/close-address.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { EventQueue } from '../event-queue.ts'
import { deploymentWorkload, type WorkloadDependencies } from '../serving/workloads.ts'
import { moveDeployment } from './deployment-states.ts'
import { ENVIRONMENT_RULES } from './environments.ts'
import { pruneReleases, removeExpiredLogs, removeRecord } from './release-history.ts'
import { drainPrevious, prepareSessionTransfer, transferSessions } from './session-transfer.ts'

const SHOWN_LOG_LINES = 10

export interface RunningRelease {
  /** Phases as they begin, such as `starting the server`. Ends when `done` settles. */
  phases: AsyncIterable<string>
  /** The final record, with status `failed` when the start failed. Rejects with NOT_FOUND when the deployment was removed. */
  done: Promise<Deployment>
}

/** Receives what a release is doing, as a phrase. */
type OnPhase = (phase: string) => void

type ReleaseDependencies = WorkloadDependencies & Pick<ServiceDependencies, 'changes' | 'supervisor'>

/**
 * Releases a deployment without failing any requests: starts it next to the old one, switches when it is healthy, and drains the
 * old one. Releases of one server and environment run sequentially.
 */
export class Releases {
  readonly #deps: ReleaseDependencies
  readonly #queue = new KeyedQueue()

  constructor(deps: ReleaseDependencies) {
    this.#deps = deps
  }

  run(deployment: Deployment): RunningRelease {
    const startedMs = performance.now()
    const key = `${deployment.name}/${deployment.environment}`
    const phases = new EventQueue<string>()
    const onPhase = (phase: string) => {
      phases.push(phase)
      this.#publish(deployment, phase)
    }
    if (this.#queue.isBusy(key)) onPhase('waiting for another release')
    const release = this.#queue.run(key, () => this.#release(deployment, startedMs, onPhase))
    return { phases: phases.read(), done: release.finally(() => phases.end()) }
  }

  async #release(deployment: Deployment, startedMs: number, onPhase: OnPhase): Promise<Deployment> {
    const elapsed = () => Math.max(1, Math.round(performance.now() - startedMs))
    if (!this.#isWanted(deployment)) return this.#abandon(deployment)
    try {
      prepareSessionTransfer(this.#deps, deployment)
      await this.#start(deployment, onPhase)
      onPhase('moving sessions to the new release')
      await transferSessions(this.#deps, deployment)
      onPhase('switching to the new release')
      if (this.#isWanted(deployment)) return await this.#switch(deployment, elapsed())
    } catch (error) {
      return this.#fail(deployment, error, elapsed())
    }
    return this.#abandon(deployment)
  }

  #publish({ id, name: server, environment, mcpId }: Deployment, phase: string): void {
    const status = 'deploying'
    const change = {
      type: 'deployment',
      action: 'updated',
      id,
      server,
      environment,
      mcpId,
      status,
      phase,
    } as const
    this.#deps.changes.publish(change)
  }

  /** False after the deployment was stopped or removed. A second start has its own release. */
  #isWanted({ id, updatedAt }: Deployment): boolean {
    const now = this.#deps.store.deployments.find(id)
    return now?.status === 'deploying' && now.updatedAt === updatedAt
  }

  async #start(deployment: Deployment, onPhase: OnPhase): Promise<void> {
    const { supervisor, addresses, store } = this.#deps
    const { id, name, environment } = deployment
    await addresses.open(name, environment)
    if (supervisor.has(id)) await supervisor.remove(id)
    if (!this.#isWanted(deployment)) return
    if (!store.deployments.findLive(name, environment)) addresses.point(name, environment, id)
    const served = await deploymentWorkload(this.#deps, deployment, onPhase)
    if (!this.#isWanted(deployment)) return
    supervisor.add(served)
    onPhase('starting the server')
    await supervisor.start(id)
  }

  async #switch(deployment: Deployment, deployMs: number): Promise<Deployment> {
    const { store, addresses, supervisor } = this.#deps
    const { id, name, environment } = deployment
    const { released, old } = store.transaction(() => {
      const live = store.deployments.findLive(name, environment)
      return {
        old: live && moveDeployment(this.#deps, live, 'stopped'),
        released: moveDeployment(this.#deps, deployment, 'deployed', { deployMs }),
      }
    })
    addresses.point(name, environment, id)
    const drain = old && supervisor.has(old.id) ? drainPrevious(this.#deps, released, old) : undefined
    this.#deps.background.run(async () => {
      await this.#cleanUp(released)
      await drain?.ended
    })
    await drain?.begun
    return released
  }

  async #cleanUp(released: Deployment): Promise<void> {
    const removed = removeSuperseded(this.#deps, released)
    for (const id of removed) this.#deps.supervisor.releaseSessions(id)
    pruneReleases(this.#deps, released)
    await removeExpiredLogs(this.#deps)
  }

  async #fail(deployment: Deployment, error: unknown, deployMs: number): Promise<Deployment> {
    const failure = await this.failureOf(deployment.id, error)
    const fail = () => {
      if (this.#isWanted(deployment))
        moveDeployment(this.#deps, deployment, 'failed', { error: failure, deployMs })
    }
    try {
      this.#deps.background.retryUntilWritten(fail, () => closeUnusedAddress(this.#deps, deployment))
    } catch (unwritten) {
      await this.#abandon(deployment)
      throw unwritten
    }
    return this.#abandon(deployment)
  }

  /** Cleans up after a failed release. The previous deployment keeps serving. */
  async #abandon(abandoned: Deployment): Promise<Deployment> {
    const { id } = abandoned
    const { supervisor, store } = this.#deps
    if (supervisor.has(id)) await supervisor.remove(id)
    await closeUnusedAddress(this.#deps, abandoned)
    const deployment = store.deployments.find(id)
    if (deployment) return deployment
    throw new HostingError('NOT_FOUND', `Deployment ${id} was removed before it was deployed.`)
  }

  /** The error of the record: the reason and the instance's last log lines. */
  async failureOf(id: string, error: unknown): Promise<Failure> {
    if (this.#deps.background.closing)
      return { code: 'INTERRUPTED', message: 'The daemon stopped before the deployment was finished.' }
    const code = error instanceof HostingError ? error.code : 'UNAVAILABLE'
    const message = error instanceof Error ? error.message : String(error)
    const lines = await this.#lastLogLines(id).catch(() => []) // the error is complete without log lines
    const given = error instanceof HostingError ? error.details : undefined
    // Most of the last log lines are also in the reason.
    const known = new Set([message, ...(given?.split('\n') ?? [])])
    const details = [given, ...lines.filter(line => !known.has(line))].filter(Boolean).join('\n')
    return { code, message, ...(details ? { details } : {}) }
  }

  async #lastLogLines(id: string): Promise<string[]> {
    const { lines } = await this.#deps.logs.page(id, { limit: SHOWN_LOG_LINES, tail: SHOWN_LOG_LINES })
    return lines.filter(({ level }) => level !== 'debug').map(({ message }) => message)
  }
}

/** Removes stopped and failed deployments beyond the number that the environment keeps. Returns their ids. */
function removeSuperseded(
  deps: Pick<ServiceDependencies, 'clock' | 'store'>,
  { id: liveId, name, environment }: Deployment,
): string[] {
  // Returns early, because an environment that keeps everything may have thousands of deployments.
  const kept = ENVIRONMENT_RULES[environment].keptDeployments
  if (kept === null) return []
  const older = deps.store.deployments
    .listByServer(name, environment)
    .filter(({ id, status }) => id !== liveId && (status === 'stopped' || status === 'failed'))
  const surplus = older.slice(kept - 1)
  deps.store.transaction(() => {
    for (const deployment of surplus) removeRecord(deps, deployment)
  })
  return surplus.map(({ id }) => id)
}
