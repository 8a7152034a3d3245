import type { BuildRecord } from '../../shared/builds.ts'
import type { DeploymentRecord, DeploymentStatus } from '../../shared/deployments.ts'
import { toSeconds } from '../../shared/duration.ts'
import type { HealthReport } from '../../shared/health-reports.ts'
import { networkBorderOf } from '../runtime/placement.ts'
import type { ServedReport } from '../runtime/supervisor.ts'
import type { Build } from '../store/builds.ts'
import type { Deployment } from '../store/deployments.ts'
import { healthUrl, mcpUrl } from './addresses.ts'
import { judgeHealth } from './deployment-health.ts'
import { buildWarnings, deploymentWarnings } from './deployment-warnings.ts'
import { promisesOf, scalingOf } from './environments.ts'
import { probeHealth } from './health-probe.ts'
import { namedUrls } from './host-names.ts'
import { isolationOf } from './isolation.ts'
import type { Previews } from './previews.ts'
import type { Rooms } from './rooms.ts'
import { isSteadyProgram, placementOf } from './served.ts'

const MAX_REMEMBERED = 1000
const NOTHING: ServedReport = { instances: [], requests: { total: 0, errors: 0 } }

/** Builds and deployments as the contract shows them. */
export class Records {
  readonly #rooms: Rooms
  readonly #previews: Previews
  /** Of artifacts, which never change: a list of deployments is not to read all of them each time. */
  readonly #steady = new Map<string, boolean>()

  constructor(rooms: Rooms, previews: Previews) {
    this.#rooms = rooms
    this.#previews = previews
  }

  build(build: Build): BuildRecord {
    return {
      mcp_id: build.id,
      name: build.name,
      status: build.status,
      url: this.#previews.url(build.name),
      build_time: toSeconds(build.buildMs),
      template: build.template,
      digest: build.digest,
      tools: build.tools,
      resources: build.resources,
      prompts: build.prompts,
      project_id: build.projectId,
      created_at: build.createdAt,
      ...(build.error ? { error: build.error } : {}),
      ...warningsMember(buildWarnings(build)),
    }
  }

  /** The contract's five fields, and why it failed when it did. */
  deployment(deployment: Deployment): DeploymentRecord {
    const address = this.#rooms.addresses.find(deployment.name, deployment.environment)
    return {
      deployment_id: deployment.id,
      status: deployment.status,
      url: address ? mcpUrl(address) : '',
      deploy_time: toSeconds(deployment.deployMs),
      health_check: address ? healthUrl(address) : '',
      ...(deployment.config.auth ? { sign_in: this.#signIn(deployment) } : {}),
      ...(deployment.error ? { error: deployment.error } : {}),
      ...warningsMember(this.#warnings(deployment)),
    }
  }

  #warnings(deployment: Deployment): string[] {
    const build = this.#rooms.store.builds.find(deployment.mcpId)
    return build ? deploymentWarnings(deployment, build, this.#promisesOf(deployment, build)) : []
  }

  #signIn({ name, environment }: Deployment): { issuer: string; callback_url: string } {
    const issuer = `${this.#rooms.origin}/auth/${name}/${environment}`
    return { issuer, callback_url: `${issuer}/oauth/callback` }
  }

  status(deployment: Deployment): DeploymentStatus {
    const address = this.#rooms.addresses.find(deployment.name, deployment.environment)
    return {
      ...this.deployment(deployment),
      mcp_id: deployment.mcpId,
      name: deployment.name,
      environment: deployment.environment,
      domain: deployment.domain,
      subdomain: address?.subdomain ?? null,
      named_urls: namedUrls(this.#rooms, deployment, address),
      config: deployment.config,
      instances: this.#report(deployment).instances,
      ...this.#promises(deployment),
      created_at: deployment.createdAt,
      updated_at: deployment.updatedAt,
      stopped_at: deployment.stoppedAt,
      error: deployment.error,
    }
  }

  /** The same of one, for which its artifact and variables are read. */
  detailedStatus(deployment: Deployment): DeploymentStatus {
    const isolation = isolationOf(this.#rooms, deployment)
    return { ...this.status(deployment), ...(isolation && { isolation }) }
  }

  #promises(deployment: Deployment): Pick<DeploymentStatus, 'promises' | 'staying_sessions'> {
    const build = this.#rooms.store.builds.find(deployment.mcpId)
    return {
      ...(build && { promises: this.#promisesOf(deployment, build) }),
      staying_sessions: this.#rooms.supervisor.stayingSessions(deployment.id),
    }
  }

  #promisesOf(deployment: Deployment, build: Build) {
    const isSteady = this.#isSteady(build, deployment)
    const promises = promisesOf(deployment, placementOf(build, deployment), isSteady)
    if (build.template !== 'custom' || deployment.config.engine === 'container') return promises
    return { ...promises, network: networkBorderOf(isSteady ? 'program' : 'module') }
  }

  #isSteady(build: Build, { config }: Deployment): boolean {
    const isContained = config.engine === 'container'
    const key = `${build.digest} ${isContained}`
    const known = this.#steady.get(key)
    if (known !== undefined) return known
    let isSteady: boolean
    try {
      isSteady = isSteadyProgram(this.#rooms, build, isContained)
    } catch {
      return false // its artifact is damaged, which whoever starts it is told
    }
    if (this.#steady.size >= MAX_REMEMBERED) this.#steady.clear()
    this.#steady.set(key, isSteady)
    return isSteady
  }

  async health(deployment: Deployment): Promise<HealthReport> {
    const report = this.#report(deployment)
    const wanted = scalingOf(deployment).min
    // A server that may sleep is not asked: the question itself would keep it awake.
    const probe = deployment.status === 'deployed' && wanted > 0 ? await this.#probe(deployment) : undefined
    const requests = this.#rooms.requestMetrics.ofDeployment(deployment.id)
    const { instances } = report
    return {
      deploymentId: deployment.id,
      checkedAt: this.#rooms.clock.now(),
      ...judgeHealth({ status: deployment.status, instances, recent: requests.recent, wanted, probe }),
      instances,
      ...requests,
    }
  }

  #probe({ name, environment }: Deployment) {
    const address = this.#rooms.addresses.find(name, environment)
    return address && probeHealth(healthUrl(address))
  }

  #report({ id }: Deployment): ServedReport {
    return this.#rooms.supervisor.has(id) ? this.#rooms.supervisor.report(id) : NOTHING
  }
}

/** Absent when there is nothing to warn of. */
function warningsMember(warnings: string[]): { warnings?: string[] } {
  return warnings.length > 0 ? { warnings } : {}
}
