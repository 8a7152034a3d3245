import { ENVIRONMENTS, type Environment, STORE_ENVIRONMENTS } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Builds } from '../builds/builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import type { Deployments } from '../deployments/deployments.ts'

type Dependencies = Pick<ServiceDependencies, 'states' | 'store' | 'supervisor'>

export interface RemovalOptions {
  /** Only this environment. The builds stay. */
  environment?: Environment | undefined
  /** Also removes the stored data and variables. */
  data?: boolean | undefined
}

/** Removes servers. Every step can be repeated, so an interrupted request can be sent again. */
export class ServerRemoval {
  readonly #deps: Dependencies
  readonly #deployments: Deployments
  readonly #builds: Builds

  constructor(deps: Dependencies, deployments: Deployments, builds: Builds) {
    this.#deps = deps
    this.#deployments = deployments
    this.#builds = builds
  }

  /** Throws NOT_FOUND, and CONFLICT while a build runs or when something is deployed during the removal. */
  async remove(name: string, { environment, data = false }: RemovalOptions = {}): Promise<void> {
    const builds = this.#deps.store.builds.listByServer(name)
    this.#requireServer(name)
    if (environment === undefined) requireFinished(builds)
    const environments = environment === undefined ? ENVIRONMENTS : [environment]
    for (const each of environments) await this.#removeDeployments(name, each)
    if (environment === undefined) for (const build of builds) await this.#removeBuild(build)
    if (data) await this.#removeData(name, environment)
  }

  async #removeDeployments(name: string, environment: Environment): Promise<void> {
    const { store } = this.#deps
    store.mappings.removeByServer(name, environment)
    const deployments = store.deployments.listByServer(name, environment)
    for (const { id } of deployments.toReversed()) await this.#deployments.remove(id).catch(unlessRemoved)
  }

  /** Also kills a preview that is still draining, because its data may be removed next. */
  async #removeBuild({ id }: Build): Promise<void> {
    await this.#builds.remove(id).catch(unlessRemoved)
    if (this.#deps.supervisor.has(id)) await this.#deps.supervisor.remove(id)
  }

  async #removeData(server: string, environment: Environment | undefined): Promise<void> {
    const { states, store } = this.#deps
    for (const slot of environment === undefined ? STORE_ENVIRONMENTS : [environment])
      await states.remove({ server, slot })
    store.variables.removeByServer(server, environment)
  }

  /** The data of a server may outlive it. */
  #requireServer(name: string): void {
    const { states, store } = this.#deps
    const hasData = STORE_ENVIRONMENTS.some(slot => states.holds({ server: name, slot }))
    if (store.servers.find(name) || hasData || store.variables.hasAny(name)) return
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

/** Another request removed the record at the same time. */
function unlessRemoved(error: unknown): void {
  if (!(error instanceof HostingError && error.code === 'NOT_FOUND')) throw error
}
