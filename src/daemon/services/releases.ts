import { HostingError } from '../../shared/errors.ts'
import type { Failure } from '../../shared/fields.ts'
import { Turns } from '../../shared/turns.ts'
import type { Deployment } from '../store/deployments.ts'
import { moveDeployment } from './deployment-states.ts'
import { vacatePlace } from './places.ts'
import { removeSuperseded } from './retention.ts'
import type { Rooms } from './rooms.ts'
import { servedDeployment } from './served.ts'
import { handSessionsOn, leave, prepareToHandOn } from './succession.ts'

const SHOWN_LOG_LINES = 10

/**
 * Brings a deployment that is `deploying` into service without a failed request: started beside the old one, switched
 * when healthy, the old one drained. Releases of one server and environment take turns.
 */
export class Releases {
  readonly #rooms: Rooms
  readonly #turns = new Turns()

  constructor(rooms: Rooms) {
    this.#rooms = rooms
  }

  /** Never throws for a start that fails: that is a deployment with the status `failed`. NOT_FOUND when it was removed. */
  run(deployment: Deployment): Promise<Deployment> {
    const startedMs = performance.now()
    const turn = `${deployment.name}/${deployment.environment}`
    return this.#turns.take(turn, () => this.#release(deployment, startedMs))
  }

  async #release(deployment: Deployment, startedMs: number): Promise<Deployment> {
    const elapsed = () => Math.max(1, Math.round(performance.now() - startedMs))
    if (!this.#isWanted(deployment)) return this.#abandon(deployment)
    try {
      prepareToHandOn(this.#rooms, deployment)
      await this.#start(deployment)
      await handSessionsOn(this.#rooms, deployment)
      if (this.#isWanted(deployment)) return await this.#switch(deployment, elapsed())
    } catch (error) {
      return this.#fail(deployment, error, elapsed())
    }
    return this.#abandon(deployment)
  }

  /** False once somebody stopped or removed it, also when it was started anew: that has a turn of its own. */
  #isWanted({ id, updatedAt }: Deployment): boolean {
    const now = this.#rooms.store.deployments.find(id)
    return now?.status === 'deploying' && now.updatedAt === updatedAt
  }

  async #start(deployment: Deployment): Promise<void> {
    const { supervisor, addresses, store } = this.#rooms
    const { id, name, environment } = deployment
    await addresses.open(name, environment)
    if (supervisor.has(id)) await supervisor.remove(id)
    if (!this.#isWanted(deployment)) return
    if (!store.deployments.findLive(name, environment)) addresses.point(name, environment, id)
    const served = await servedDeployment(this.#rooms, deployment)
    if (!this.#isWanted(deployment)) return
    supervisor.add(served)
    await supervisor.start(id)
  }

  async #switch(deployment: Deployment, deployMs: number): Promise<Deployment> {
    const { store, addresses, supervisor } = this.#rooms
    const { id, name, environment } = deployment
    const { released, old } = store.transaction(() => {
      const live = store.deployments.findLive(name, environment)
      return {
        old: live && moveDeployment(this.#rooms, live, 'stopped'),
        released: moveDeployment(this.#rooms, deployment, 'deployed', { deployMs }),
      }
    })
    addresses.point(name, environment, id)
    const left = old && supervisor.has(old.id) ? leave(this.#rooms, released, old) : undefined
    this.#rooms.background.run(async () => {
      await this.#cleanUp(released)
      await left?.ended
    })
    await left?.begun
    return released
  }

  async #cleanUp(released: Deployment): Promise<void> {
    const { supervisor, logs } = this.#rooms
    const removed = removeSuperseded(this.#rooms, released)
    for (const id of removed) supervisor.letSessionsGo(id)
    for (const id of removed) await logs.remove(id)
  }

  async #fail(deployment: Deployment, error: unknown, deployMs: number): Promise<Deployment> {
    const failure = await this.failureOf(deployment.id, error)
    const fail = () => {
      if (this.#isWanted(deployment))
        moveDeployment(this.#rooms, deployment, 'failed', { error: failure, deployMs })
    }
    try {
      this.#rooms.background.insist(fail, () => vacatePlace(this.#rooms, deployment))
    } catch (unwritten) {
      await this.#abandon(deployment)
      throw unwritten
    }
    return this.#abandon(deployment)
  }

  /** Leaves nothing of a release that came to nothing; what served before goes on. */
  async #abandon(abandoned: Deployment): Promise<Deployment> {
    const { id } = abandoned
    const { supervisor, store } = this.#rooms
    if (supervisor.has(id)) await supervisor.remove(id)
    await vacatePlace(this.#rooms, abandoned)
    const deployment = store.deployments.find(id)
    if (deployment) return deployment
    throw new HostingError('NOT_FOUND', `Deployment ${id} was removed before it was deployed.`)
  }

  /** What the record says about a failure: the reason and the last things the instance wrote. */
  async failureOf(id: string, error: unknown): Promise<Failure> {
    if (this.#rooms.background.closing)
      return { code: 'INTERRUPTED', message: 'The daemon was stopped before this was done.' }
    const code = error instanceof HostingError ? error.code : 'UNAVAILABLE'
    const message = error instanceof Error ? error.message : String(error)
    const lines = await this.#lastWords(id).catch(() => []) // the reason is told without them, too
    const given = error instanceof HostingError ? error.details : undefined
    // What the instance said last is in its log, and mostly in the reason, too.
    const told = new Set([message, ...(given?.split('\n') ?? [])])
    const details = [given, ...lines.filter(line => !told.has(line))].filter(Boolean).join('\n')
    return { code, message, ...(details ? { details } : {}) }
  }

  async #lastWords(id: string): Promise<string[]> {
    const { lines } = await this.#rooms.logs.page(id, { limit: SHOWN_LOG_LINES, tail: SHOWN_LOG_LINES })
    return lines.filter(({ level }) => level !== 'debug').map(({ message }) => message)
  }
}
