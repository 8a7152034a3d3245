import type { Artifact } from '../../shared/artifact.ts'
import type { DeployConfig } from '../../shared/deploy-config.ts'
import type { DeployRequest } from '../../shared/deployments.ts'
import { HostingError } from '../../shared/errors.ts'
import { createId } from '../../shared/ids.ts'
import type { Build } from '../store/builds.ts'
import type { Deployment, DeploymentFilter } from '../store/deployments.ts'
import { getBuild, requireReady } from './builds.ts'
import { checkEngine } from './containers.ts'
import { checkAuth } from './deployment-auth.ts'
import { changedEnv, checkEnv } from './deployment-env.ts'
import { concealConfig, readEnv, revealConfig } from './deployment-secrets.ts'
import { moveDeployment } from './deployment-states.ts'
import { leaveReplaced } from './held-ports.ts'
import { vacatePlace } from './places.ts'
import type { Releases } from './releases.ts'
import type { Rooms } from './rooms.ts'
import { loadArtifact } from './served.ts'
import { requireCompatible } from './surfaces.ts'

/** Accepted work: the record as it is now, and as it is once the work is over. */
export interface Accepted {
  deployment: Deployment
  done: Promise<Deployment>
}

export class Deployments {
  readonly #rooms: Rooms
  readonly #releases: Releases

  constructor(rooms: Rooms, releases: Releases) {
    this.#rooms = rooms
    this.#releases = releases
  }

  /** Throws NOT_FOUND, INVALID_REQUEST for wrong variables, CONFLICT for a build that is not ready, a domain in use or a breaking change that was to be refused. */
  create(request: DeployRequest): Accepted {
    const build = requireReady(getBuild(this.#rooms, request.mcp_id))
    if (request.allow_breaking === false) requireCompatible(this.#rooms, build, request.environment)
    const config = checkEngine(customArtifact(this.#rooms, build), normalizeConfig(request.config))
    const values = config.env_vars ?? {}
    checkEnv(build, values)
    if (config.auth) checkAuth(config.auth)
    const now = this.#rooms.clock.now()
    const concealed = concealConfig(config, this.#rooms.secrets)
    const deployment: Deployment = {
      id: createId('dep'),
      mcpId: build.id,
      name: build.name,
      environment: request.environment,
      status: 'deploying',
      domain: config.domain ?? null,
      config: concealed.config,
      env: concealed.sealed,
      deployMs: 0,
      error: null,
      createdAt: now,
      updatedAt: now,
      deployedAt: null,
      stoppedAt: null,
    }
    this.#rooms.store.transaction(() => {
      this.#requireDomain(deployment)
      this.#rooms.store.deployments.create(deployment)
    })
    return this.#release(deployment)
  }

  /** Throws NOT_FOUND. */
  get(id: string): Deployment {
    const deployment = this.#rooms.store.deployments.find(id)
    if (deployment) return deployment
    throw new HostingError('NOT_FOUND', `There is no deployment "${id}".`, {
      details: 'GET /v1/deploy lists the deployments there are.',
      next: [{ description: 'See what there is', command: 'mcp list' }],
    })
  }

  list(
    filter: DeploymentFilter,
    limit: number,
    cursor?: string,
  ): { items: Deployment[]; nextCursor: string | null } {
    return this.#rooms.store.deployments.list(filter, limit, cursor)
  }

  /** Refuses connections at once and lets running requests end. Throws NOT_FOUND, CONFLICT unless it is deploying or deployed. */
  async stop(id: string): Promise<Deployment> {
    const { supervisor, background } = this.#rooms
    const before = this.get(id)
    const stopped = moveDeployment(this.#rooms, before, 'stopped')
    await vacatePlace(this.#rooms, stopped)
    if (before.status === 'deploying') await this.#end(id)
    else if (supervisor.has(id)) background.run(() => supervisor.drain(id))
    return stopped
  }

  /** Brings a stopped or failed one back. Throws NOT_FOUND, CONFLICT when it runs or another one holds its place. */
  start(id: string): Accepted {
    const deployment = this.#rooms.store.transaction(() => {
      const found = this.get(id)
      const moved = moveDeployment(this.#rooms, found, 'deploying')
      this.#requirePlace(moved)
      this.#requireDomain(moved)
      return moved
    })
    return this.#release(deployment)
  }

  /**
   * New instances of the same deployment in the place of the old ones, without a failed request. Throws NOT_FOUND,
   * CONFLICT unless it is deployed, and the reason when the new ones do not start: then the old ones serve on.
   */
  async restart(id: string): Promise<Deployment> {
    const { supervisor } = this.#rooms
    const deployment = this.get(id)
    if (deployment.status !== 'deployed')
      throw new HostingError(
        'CONFLICT',
        `Deployment ${id} is ${deployment.status}; only a deployed one can be restarted.`,
        { next: [{ description: 'Start it', command: `mcp start ${id}` }] },
      )
    try {
      await supervisor.renew(id)
      return this.get(id)
    } catch (error) {
      if (this.#isServing(id)) throw notRestarted(id, error as Error)
      if (this.#rooms.background.closing) throw error // it serves again with the next daemon
      return this.failed(id, error)
    }
  }

  /**
   * Deploys again what was deployed before `id`, or `to`: a new deployment with the build and configuration of the old
   * one. Throws NOT_FOUND, CONFLICT when nothing earlier is kept.
   */
  rollback(id: string, to?: string): Accepted & { warnings: string[] } {
    const { secrets, store } = this.#rooms
    const from = this.get(id)
    const target = this.#rollbackTarget(from, to)
    const config = revealConfig(secrets, target)
    const live = store.deployments.findLive(from.name, from.environment) ?? from
    const warnings = changedEnv(readEnv(secrets, live), config.env_vars ?? {})
    const accepted = this.create({ mcp_id: target.mcpId, environment: target.environment, config })
    return { ...accepted, warnings }
  }

  /** Ends it at once and forgets it with its logs. Throws NOT_FOUND. */
  async remove(id: string): Promise<void> {
    const { store } = this.#rooms
    const deployment = this.get(id)
    store.transaction(() => {
      store.deployments.remove(id)
      leaveReplaced(this.#rooms, deployment)
    })
    await vacatePlace(this.#rooms, deployment)
    await this.#end(id)
    await this.#rooms.logs.remove(id)
  }

  /** The runtime gave up on a deployment that served. */
  async failed(id: string, error: unknown): Promise<Deployment> {
    const seen = this.get(id)
    const failure = await this.#releases.failureOf(id, error)
    const isSame = () => this.get(id).status === 'deployed' && this.get(id).updatedAt === seen.updatedAt
    if (!isSame()) return this.get(id) // stopped meanwhile, and perhaps started anew
    const fail = () => void (isSame() && moveDeployment(this.#rooms, seen, 'failed', { error: failure }))
    const leave = async () => {
      await vacatePlace(this.#rooms, seen)
      await this.#end(id)
    }
    this.#rooms.background.insist(fail, leave)
    await leave()
    return this.get(id)
  }

  #release(deployment: Deployment): Accepted {
    const done = this.#releases.run(deployment)
    this.#rooms.background.run(() => done.catch(unlessRemoved))
    return { deployment, done }
  }

  #isServing(id: string): boolean {
    const { supervisor } = this.#rooms
    return supervisor.has(id) && supervisor.report(id).instances.some(({ state }) => state === 'ready')
  }

  async #end(id: string): Promise<void> {
    if (this.#rooms.supervisor.has(id)) await this.#rooms.supervisor.remove(id)
  }

  #rollbackTarget(from: Deployment, to: string | undefined): Deployment {
    if (to === undefined) return this.#rooms.store.deployments.findEarlier(from) ?? noEarlier(from)
    const target = this.get(to)
    if (target.name === from.name && target.environment === from.environment && target.deployedAt)
      return target
    throw new HostingError(
      'CONFLICT',
      `Deployment ${to} cannot be rolled back to: it never served "${from.name}" in ${from.environment}.`,
    )
  }

  #requirePlace({ id, name, environment }: Deployment): void {
    const other = this.#rooms.store.deployments.active(name, environment).find(other => other.id !== id)
    if (!other) return
    throw new HostingError(
      'CONFLICT',
      `Deployment ${other.id} of "${name}" is ${other.status} in ${environment}: only one can be live.`,
      { next: [{ description: 'Go back to an older one', command: `mcp rollback ${other.id}` }] },
    )
  }

  #requireDomain({ domain, name, environment }: Deployment): void {
    const owner = domain && this.#rooms.store.deployments.findDomainOwner(domain, name, environment)
    if (!owner) return
    throw new HostingError(
      'CONFLICT',
      `The domain ${domain} belongs to deployment ${owner.id} of "${owner.name}" in ${owner.environment}.`,
      { details: 'config.domain: stop that deployment or choose another domain' },
    )
  }
}

/** Only custom servers can be images; nothing of others is read. */
function customArtifact(rooms: Rooms, build: Build): Artifact | undefined {
  return build.template === 'custom' ? loadArtifact(rooms, build) : undefined
}

/** The contract's defaults filled in; host names compare in lower case. */
function normalizeConfig(config: DeployConfig = {}): DeployConfig {
  return {
    ...config,
    ...(config.domain ? { domain: config.domain.toLowerCase() } : {}),
    scaling: config.scaling ?? { min_instances: 1, max_instances: 10 },
  }
}

/** That somebody removed it meanwhile is told to the client that waits, and is no fault of the daemon. */
function unlessRemoved(error: unknown): void {
  if (!(error instanceof HostingError && error.code === 'NOT_FOUND')) throw error
}

function notRestarted(id: string, reason: Error): HostingError {
  const known = reason instanceof HostingError ? reason : undefined
  return new HostingError(
    known?.code ?? 'UNAVAILABLE',
    `Deployment ${id} was not restarted, its old instances serve on: ${reason.message}`,
    {
      details: known?.details,
      next: [{ description: 'See its log', command: `mcp logs ${id}` }],
      cause: reason,
    },
  )
}

function noEarlier({ id, name, environment }: Deployment): never {
  throw new HostingError(
    'CONFLICT',
    `No deployment of "${name}" in ${environment} is kept from before ${id}.`,
    {
      details:
        environment === 'development'
          ? 'In development every deploy removes the older ones; deploy an older build instead.'
          : 'Deploy an older build instead.',
    },
  )
}
