import type { ConfigChanges } from '../../../shared/contract/deployments/deploy-config.ts'
import type { DeployRequest } from '../../../shared/contract/deployments/deployments.ts'
import type { Environment } from '../../../shared/contract/states.ts'
import type { Artifact } from '../../../shared/definitions/artifact.ts'
import { HostingError } from '../../../shared/errors.ts'
import { createId } from '../../../shared/ids.ts'
import type { Page } from '../../store/table.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Deployment, DeploymentFilter } from '../../store/tables/deployments.ts'
import { closeUnusedAddress } from '../addresses/close-address.ts'
import { resolveEngine } from '../builds/containers.ts'
import { getBuild, loadArtifact, requireReady } from '../builds/stored-builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { requireNotRemoved } from '../servers/pending-removals.ts'
import { checkAuth, checkOrigins } from './deployment-auth.ts'
import { checkEnv, type ReleaseEnv, releaseEnv } from './deployment-env.ts'
import { nothingLive, notReconfigurable, notRestartable, notRestarted } from './deployment-errors.ts'
import { concealConfig, requireUnmasked } from './deployment-secrets.ts'
import { markReplaced, moveDeployment } from './deployment-states.ts'
import { normalizeConfig } from './environments.ts'
import { changeMessage, type InheritingRequest, inheritConfig } from './inherited-config.ts'
import {
  type ReleaseOrigin,
  recordRelease,
  releaseChanges,
  releaseLine,
  removeRecord,
} from './release-history.ts'
import type { Releases, RunningRelease } from './releases.ts'
import { rollbackRequest, rollbackTarget } from './rollback.ts'
import { storeVariables } from './stored-variables.ts'
import { requireCompatible } from './surfaces.ts'

/** A deployment that was started. */
export interface AcceptedDeployment extends RunningRelease {
  deployment: Deployment
}

type ChooseEnv = (build: Build) => ReleaseEnv
type Dependencies = Pick<
  ServiceDependencies,
  'addresses' | 'artifacts' | 'background' | 'clock' | 'logs' | 'secrets' | 'store' | 'supervisor'
>

export class Deployments {
  readonly #deps: Dependencies
  readonly #releases: Releases

  constructor(deps: Dependencies, releases: Releases) {
    this.#deps = deps
    this.#releases = releases
  }

  /**
   * Deploys with the stored variables. Throws NOT_FOUND, INVALID_REQUEST for an invalid configuration, and CONFLICT for a
   * build that is not ready, a domain in use, or a breaking change with `allow_breaking: false`.
   */
  create(given: InheritingRequest, origin: ReleaseOrigin = {}): AcceptedDeployment {
    requireUnmasked(given)
    const request = inheritConfig(this.#deps, given)
    return this.#create(request, origin, build => releaseEnv(this.#deps, build, request))
  }

  #create(request: DeployRequest, origin: ReleaseOrigin, chooseEnv: ChooseEnv): AcceptedDeployment {
    const build = requireReady(getBuild(this.#deps, request.mcp_id))
    if (request.allow_breaking === false) requireCompatible(this.#deps, build, request.environment)
    const env = chooseEnv(build)
    const given = { ...request.config, ...(Object.keys(env.values).length > 0 && { env_vars: env.values }) }
    const config = resolveEngine(customArtifact(this.#deps, build), normalizeConfig(given))
    if (config.auth) checkAuth(config.auth)
    checkOrigins(config)
    const now = this.#deps.clock.now()
    const concealed = concealConfig(config, this.#deps.secrets)
    const deployment: Deployment = {
      id: createId('dep'),
      mcpId: build.id,
      name: build.name,
      environment: request.environment,
      status: 'deploying',
      domain: config.domain ?? null,
      config: concealed.config,
      env: concealed.sealed,
      variables: env.stored,
      deployMs: 0,
      error: null,
      createdAt: now,
      updatedAt: now,
      deployedAt: null,
      stoppedAt: null,
    }
    const changes = releaseChanges(this.#deps, build, request.environment)
    const release = this.#deps.store.transaction(() => {
      requireNotRemoved(this.#deps, deployment.name, deployment.environment)
      this.#requireDomain(deployment)
      this.#deps.store.deployments.create(deployment)
      if (build.expiresAt !== null) this.#deps.store.builds.keep(build.id)
      storeVariables(
        this.#deps,
        { server: build.name, environment: request.environment },
        request.variables ?? {},
      )
      return recordRelease(this.#deps, deployment, {
        build,
        changes,
        origin: { ...request.release, ...origin },
      })
    })
    this.#deps.background.run(() => this.#deps.logs.append(deployment.id, releaseLine(release)))
    return this.#release(deployment)
  }

  /** Throws NOT_FOUND. */
  get(id: string): Deployment {
    const deployment = this.#deps.store.deployments.find(id)
    if (deployment) return deployment
    throw new HostingError('NOT_FOUND', `Deployment "${id}" does not exist.`, {
      details: 'GET /v1/deploy lists all deployments.',
      next: [{ description: 'List servers and deployments', command: 'mcp list' }],
    })
  }

  list(filter: DeploymentFilter, limit: number, cursor?: string): Page<Deployment> {
    return this.#deps.store.deployments.list(filter, limit, cursor)
  }

  /** Refuses new connections and lets running requests finish. Throws NOT_FOUND, and CONFLICT if already stopped or failed. */
  async stop(id: string): Promise<Deployment> {
    const { supervisor, background } = this.#deps
    const before = this.get(id)
    const stopped = moveDeployment(this.#deps, before, 'stopped')
    await closeUnusedAddress(this.#deps, stopped)
    if (before.status === 'deploying') await this.#kill(id)
    else if (supervisor.has(id)) background.run(() => supervisor.drain(id))
    return stopped
  }

  /** Starts a stopped or failed deployment. Throws NOT_FOUND, and CONFLICT if it runs or its address or domain is in use. */
  start(id: string): AcceptedDeployment {
    const deployment = this.#deps.store.transaction(() => {
      const found = this.get(id)
      requireNotRemoved(this.#deps, found.name, found.environment)
      const moved = moveDeployment(this.#deps, found, 'deploying')
      this.#requireFreePlace(moved)
      this.#requireDomain(moved)
      return moved
    })
    return this.#release(deployment)
  }

  /** Starts a deployment, unless it was removed or another one has its address or domain. */
  startIfPossible(id: string): void {
    try {
      this.start(id)
    } catch (error) {
      if (!(error instanceof HostingError && ['CONFLICT', 'NOT_FOUND'].includes(error.code))) throw error
    }
  }

  /**
   * Replaces the instances of a deployment without a failed request. Throws NOT_FOUND, CONFLICT unless it is deployed, and the
   * reason if the new instances do not start and the old ones keep serving. If no instance serves, the deployment fails.
   */
  async restart(id: string): Promise<Deployment> {
    const { supervisor } = this.#deps
    const deployment = this.get(id)
    if (deployment.status !== 'deployed') throw notRestartable(deployment)
    try {
      await supervisor.renew(id)
      return this.get(id)
    } catch (error) {
      if (this.#isServing(id)) throw notRestarted(id, error as Error)
      if (this.#deps.background.closing) throw error // the next daemon restarts it
      return this.fail(id, error)
    }
  }

  /**
   * Creates a deployment with the build and configuration of the deployment before `id`, or of `to`. Throws NOT_FOUND, CONFLICT
   * if there is nothing to return to, and the errors of `create`.
   */
  rollback(
    id: string,
    { to, ...origin }: Pick<ReleaseOrigin, 'author' | 'message'> & { to?: string | undefined } = {},
  ): AcceptedDeployment & { warnings: string[] } {
    const from = this.get(id)
    const target = rollbackTarget(this.#deps, from, to)
    const { request, variables, warnings } = rollbackRequest(this.#deps, from, target)
    const values = request.config?.env_vars ?? {}
    const accepted = this.#create(request, { ...origin, rollbackTo: target.version }, build => {
      checkEnv(build, values, { stored: {}, environment: from.environment })
      return { values, stored: variables }
    })
    return { ...accepted, warnings }
  }

  /**
   * Releases the live build and configuration again with the stored variables. Throws CONFLICT when nothing is live, and the
   * errors of `create`.
   */
  releaseVariables(server: string, environment: Environment, origin: ReleaseOrigin = {}): AcceptedDeployment {
    const live = this.#deps.store.deployments.findLive(server, environment)
    if (!live) throw nothingLive(server, environment)
    return this.create({ mcp_id: live.mcpId, environment, config_from: live.id }, origin)
  }

  /**
   * Releases the build of a live deployment with a changed configuration and the stored variables. Throws NOT_FOUND, CONFLICT
   * when it is not live or another release may change the configuration first, and the errors of `create`.
   */
  reconfigure(id: string, changes: ConfigChanges, origin: ReleaseOrigin = {}): AcceptedDeployment {
    const message = changeMessage(changes, origin)
    const live = this.get(id)
    const active = this.#deps.store.deployments.listActive(live.name, live.environment)
    const other = active.find(one => one.id !== id)
    if (live.status !== 'deployed' || other) throw notReconfigurable(live, other)
    const { mcpId: mcp_id, environment } = live
    return this.create({ mcp_id, environment, config_from: id, ...changes }, { ...origin, message })
  }

  /** Kills a deployment and removes it with its logs. Throws NOT_FOUND. */
  async remove(id: string): Promise<void> {
    const { store } = this.#deps
    const deployment = this.get(id)
    store.transaction(() => {
      removeRecord(this.#deps, deployment)
      markReplaced(this.#deps, deployment)
    })
    await closeUnusedAddress(this.#deps, deployment)
    await this.#kill(id)
    await this.#deps.logs.remove(id)
  }

  /** Marks a deployment as failed when the runtime gives up on it. */
  async fail(id: string, error: unknown): Promise<Deployment> {
    const seen = this.get(id)
    const failure = await this.#releases.failureOf(id, error)
    const isSame = () => this.get(id).status === 'deployed' && this.get(id).updatedAt === seen.updatedAt
    if (!isSame()) return this.get(id) // it was stopped in the meantime, and possibly started again
    const fail = () => void (isSame() && moveDeployment(this.#deps, seen, 'failed', { error: failure }))
    const cleanUp = async () => {
      await closeUnusedAddress(this.#deps, seen)
      await this.#kill(id)
    }
    this.#deps.background.retryUntilWritten(fail, cleanUp)
    await cleanUp()
    return this.get(id)
  }

  #release(deployment: Deployment): AcceptedDeployment {
    const release = this.#releases.run(deployment)
    this.#deps.background.run(() => release.done.catch(ignoreRemoved))
    return { deployment, ...release }
  }

  #isServing(id: string): boolean {
    const { supervisor } = this.#deps
    return supervisor.has(id) && supervisor.report(id).instances.some(({ state }) => state === 'ready')
  }

  async #kill(id: string): Promise<void> {
    if (this.#deps.supervisor.has(id)) await this.#deps.supervisor.remove(id)
  }

  #requireFreePlace({ id, name, environment }: Deployment): void {
    const other = this.#deps.store.deployments.listActive(name, environment).find(other => other.id !== id)
    if (!other) return
    throw new HostingError(
      'CONFLICT',
      `Deployment ${other.id} of "${name}" is ${other.status} in ${environment}. Only one can be live.`,
      { next: [{ description: 'Roll back to an older one', command: `mcp rollback ${other.id}` }] },
    )
  }

  #requireDomain({ domain, name, environment }: Deployment): void {
    const owner = domain && this.#deps.store.deployments.findDomainOwner(domain, name, environment)
    if (!owner) return
    throw new HostingError(
      'CONFLICT',
      `The domain ${domain} belongs to deployment ${owner.id} of "${owner.name}" in ${owner.environment}.`,
      { details: 'Stop that deployment, or choose another config.domain.' },
    )
  }
}

/** Only custom servers can be images, so other artifacts are not read. */
function customArtifact(deps: Pick<ServiceDependencies, 'artifacts'>, build: Build): Artifact | undefined {
  return build.template === 'custom' ? loadArtifact(deps, build) : undefined
}

/** Ignores the error of a deployment that was removed while it started. The waiting client gets that error. */
function ignoreRemoved(error: unknown): void {
  if (!(error instanceof HostingError && error.code === 'NOT_FOUND')) throw error
}
