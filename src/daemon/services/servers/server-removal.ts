import { ENVIRONMENTS, type Environment, STORE_ENVIRONMENTS } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'
import { KeyedQueue } from '../../../shared/keyed-queue.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Removal } from '../../store/tables/removals.ts'
import type { Builds } from '../builds/builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import type { Deployments } from '../deployments/deployments.ts'

type Dependencies = Pick<
  ServiceDependencies,
  'background' | 'clock' | 'logs' | 'signIns' | 'states' | 'store' | 'supervisor'
>

export interface RemovalOptions {
  /** Only this environment. The builds stay. */
  environment?: Environment | undefined
  /** Also removes the stored data and variables. */
  data?: boolean | undefined
}

/**
 * Removes servers. A removal is recorded before its first step and forgotten after its last one. Every step can be repeated, so
 * the next daemon completes a removal that was interrupted. Until then nothing can be added to the server.
 */
export class ServerRemoval {
  readonly #deps: Dependencies
  readonly #deployments: Deployments
  readonly #builds: Builds
  readonly #queue = new KeyedQueue()

  constructor(deps: Dependencies, deployments: Deployments, builds: Builds) {
    this.#deps = deps
    this.#deployments = deployments
    this.#builds = builds
  }

  /** Throws NOT_FOUND. Without `environment`, also throws CONFLICT while a build runs. */
  remove(server: string, { environment, data = false }: RemovalOptions = {}): Promise<void> {
    const { clock, store } = this.#deps
    return this.#queue.run(server, () => {
      const removal = store.transaction(() => {
        this.#requireServer(server)
        if (environment === undefined) requireFinished(store.builds.listByServer(server))
        return store.removals.put({ server, environment: environment ?? '', data, createdAt: clock.now() })
      })
      return this.#complete(removal)
    })
  }

  /** Completes removals that an earlier daemon began. Called before deployments start. */
  async resume(): Promise<void> {
    const { background, store } = this.#deps
    // A failed removal stays recorded and must not prevent the daemon from starting.
    for (const removal of store.removals.list()) await this.#complete(removal).catch(background.report)
  }

  async #complete(removal: Removal): Promise<void> {
    const { signIns, store } = this.#deps
    const { server, environment, data } = removal
    if (environment === '') {
      for (const each of ENVIRONMENTS) await this.#removeDeployments(server, each)
      for (const build of store.builds.listByServer(server)) await this.#removeBuild(build)
    } else {
      await this.#removeDeployments(server, environment)
      signIns.removeServer(server, environment)
    }
    if (data) await this.#removeData(server, environment)
    store.removals.remove(removal)
  }

  async #removeDeployments(name: string, environment: Environment): Promise<void> {
    const { store } = this.#deps
    store.mappings.removeByServer(name, environment)
    const deployments = store.deployments.listByServer(name, environment)
    for (const { id } of deployments.toReversed()) await this.#deployments.remove(id).catch(ignoreRemoved)
    await this.#removeReplacedLogs(name, environment)
  }

  /**
   * Removes the logs of deployments that a release replaced. The daily cleanup finds them by their releases, which are removed
   * with the server. Kills a deployment that is still draining, because it would write to its log.
   */
  async #removeReplacedLogs(name: string, environment: Environment): Promise<void> {
    const { logs, store, supervisor } = this.#deps
    const withLogs = new Set(await logs.ids())
    for (const id of store.releases.listIds(name, environment)) {
      if (supervisor.has(id)) await supervisor.remove(id)
      if (withLogs.has(id)) await logs.remove(id)
    }
  }

  /** Also kills a preview that is still draining, because its data may be removed next. */
  async #removeBuild({ id }: Build): Promise<void> {
    await this.#builds.remove(id).catch(ignoreRemoved)
    if (this.#deps.supervisor.has(id)) await this.#deps.supervisor.remove(id)
  }

  async #removeData(server: string, environment: Removal['environment']): Promise<void> {
    const { states, store } = this.#deps
    for (const slot of environment === '' ? STORE_ENVIRONMENTS : [environment])
      await states.remove({ server, slot })
    store.variables.removeByServer(server, environment || undefined)
  }

  /** Throws NOT_FOUND for an unknown server. A removed server is still known while it has data or an unfinished removal. */
  #requireServer(name: string): void {
    const { states, store } = this.#deps
    const hasData = STORE_ENVIRONMENTS.some(slot => states.holds({ server: name, slot }))
    const isKnown = store.servers.find(name) || store.removals.find(name, '')
    if (isKnown || hasData || store.variables.hasAny(name)) return
    throw new HostingError('NOT_FOUND', `Server "${name}" does not exist.`, {
      next: [{ description: 'List servers', command: 'mcp list' }],
    })
  }
}

function requireFinished(builds: readonly Build[]): void {
  const running = builds.find(({ status }) => status === 'building')
  if (!running) return
  throw new HostingError(
    'CONFLICT',
    `Build ${running.id} of "${running.name}" is still running. Remove the server when it has finished.`,
  )
}

/** Ignores the error when another request has removed the record at the same time. */
function ignoreRemoved(error: unknown): void {
  if (!(error instanceof HostingError && error.code === 'NOT_FOUND')) throw error
}
