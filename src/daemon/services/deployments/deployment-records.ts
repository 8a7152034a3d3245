import type { BuildRecord } from '../../../shared/contract/builds/builds.ts'
import type { DeploymentRecord, DeploymentStatus } from '../../../shared/contract/deployments/deployments.ts'
import type { HealthReport } from '../../../shared/contract/monitoring/health-reports.ts'
import { toSeconds } from '../../../shared/duration.ts'
import { MAX_STORE_BYTES } from '../../../shared/instances/state-operations.ts'
import { networkBorderOf } from '../../runtime/placement/placement.ts'
import type { ServedReport } from '../../runtime/served.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import { healthUrl, mcpUrl } from '../addresses/addresses.ts'
import { namedUrls } from '../addresses/host-names.ts'
import type { Previews } from '../builds/previews.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import type { TenantDependencies } from '../serving/tenants.ts'
import { hasFixedScale, placementOf } from '../serving/workloads.ts'
import { judgeHealth, probeHealth } from './deployment-health.ts'
import { buildWarnings, deploymentWarnings } from './deployment-warnings.ts'
import { describePromises, scalingOf } from './environments.ts'
import { isolationOf } from './isolation.ts'

const MAX_CACHED = 1000
const NO_REPORT: ServedReport = { instances: [] }

type Dependencies = TenantDependencies &
  Pick<
    ServiceDependencies,
    'artifacts' | 'clock' | 'origin' | 'publicListeners' | 'requestMetrics' | 'supervisor'
  >

/** Builds and deployments in the format of the contract. */
export class DeploymentRecords {
  readonly #deps: Dependencies
  readonly #previews: Previews
  /** Results of `hasFixedScale` by artifact. Artifacts never change, and lists should not read all of them. */
  readonly #fixedScale = new Map<string, boolean>()

  constructor(deps: Dependencies, previews: Previews) {
    this.#deps = deps
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
      ...(build.expiresAt === null ? {} : { expires_at: build.expiresAt }),
      ...(build.error ? { error: build.error } : {}),
      ...warningsMember(buildWarnings(build)),
    }
  }

  /** The contract's five fields, and optional ones. */
  deployment(deployment: Deployment): DeploymentRecord {
    const address = this.#deps.addresses.find(deployment.name, deployment.environment)
    return {
      deployment_id: deployment.id,
      status: deployment.status,
      url: address ? mcpUrl(address) : '',
      deploy_time: toSeconds(deployment.deployMs),
      health_check: address ? healthUrl(address) : '',
      version: this.#deps.store.releases.versionOf(deployment.id),
      ...(deployment.config.auth ? { sign_in: this.#signIn(deployment) } : {}),
      ...(deployment.error ? { error: deployment.error } : {}),
      ...warningsMember(this.#warnings(deployment)),
    }
  }

  #warnings(deployment: Deployment): string[] {
    const build = this.#deps.store.builds.find(deployment.mcpId)
    return build ? deploymentWarnings(deployment, build, this.#describePromises(deployment, build)) : []
  }

  #signIn({ name, environment }: Deployment): { issuer: string; callback_url: string } {
    const issuer = `${this.#deps.origin}/auth/${name}/${environment}`
    return { issuer, callback_url: `${issuer}/oauth/callback` }
  }

  status(deployment: Deployment): DeploymentStatus {
    const address = this.#deps.addresses.find(deployment.name, deployment.environment)
    return {
      ...this.deployment(deployment),
      mcp_id: deployment.mcpId,
      name: deployment.name,
      environment: deployment.environment,
      domain: deployment.domain,
      subdomain: address?.subdomain ?? null,
      named_urls: namedUrls(this.#deps, deployment, address),
      config: deployment.config,
      instances: this.#report(deployment).instances,
      ...this.#promises(deployment),
      created_at: deployment.createdAt,
      updated_at: deployment.updatedAt,
      deployed_at: deployment.deployedAt,
      stopped_at: deployment.stoppedAt,
      ...this.#release(deployment),
      error: deployment.error,
    }
  }

  #release({ id }: Deployment): Pick<DeploymentStatus, 'release'> {
    const summary = this.#deps.store.releases.summaryOf(id)
    if (!summary) return {}
    const { message, git, rollbackTo } = summary
    return { release: { message, git, rollback_to: rollbackTo } }
  }

  /**
   * Status with the isolation and the size of the store. Reads the artifact and the environment variables to find the
   * isolation.
   */
  async detailedStatus(deployment: Deployment): Promise<DeploymentStatus> {
    const isolation = isolationOf(this.#deps, deployment)
    const { name: server, environment: slot } = deployment
    const usage = await this.#deps.states.usage({ server, slot })
    const store = usage && { ...usage, limit_bytes: MAX_STORE_BYTES }
    return { ...this.status(deployment), ...(isolation && { isolation }), ...(store && { store }) }
  }

  #promises(deployment: Deployment): Pick<DeploymentStatus, 'promises' | 'staying_sessions'> {
    const build = this.#deps.store.builds.find(deployment.mcpId)
    return {
      ...(build && { promises: this.#describePromises(deployment, build) }),
      staying_sessions: this.#deps.supervisor.listKeptSessions(deployment.id),
    }
  }

  #describePromises(deployment: Deployment, build: Build) {
    const isFixedScale = this.#hasFixedScale(build, deployment)
    const promises = describePromises(deployment, placementOf(build, deployment), isFixedScale)
    if (build.template !== 'custom' || deployment.config.engine === 'container') return promises
    return { ...promises, network: networkBorderOf(isFixedScale ? 'program' : 'module') }
  }

  #hasFixedScale(build: Build, { config }: Deployment): boolean {
    const isContained = config.engine === 'container'
    const key = `${build.digest} ${isContained}`
    const known = this.#fixedScale.get(key)
    if (known !== undefined) return known
    let isFixedScale: boolean
    try {
      isFixedScale = hasFixedScale(this.#deps, build, isContained)
    } catch {
      return false // the artifact is damaged, which the next start reports
    }
    if (this.#fixedScale.size >= MAX_CACHED) this.#fixedScale.clear()
    this.#fixedScale.set(key, isFixedScale)
    return isFixedScale
  }

  async health(deployment: Deployment): Promise<HealthReport> {
    const report = this.#report(deployment)
    const wanted = scalingOf(deployment).min
    // A server that may sleep is not probed, because the probe would keep it awake.
    const probe = deployment.status === 'deployed' && wanted > 0 ? await this.#probe(deployment) : undefined
    const requests = this.#deps.requestMetrics.summarize(deployment.id)
    const { instances } = report
    return {
      deploymentId: deployment.id,
      checkedAt: this.#deps.clock.now(),
      ...judgeHealth({ status: deployment.status, instances, recent: requests.recent, wanted, probe }),
      instances,
      ...requests,
    }
  }

  /** Like the status of `health`, without a request to the server. */
  healthStatus(deployment: Deployment): HealthReport['status'] {
    const { instances } = this.#report(deployment)
    const { recent } = this.#deps.requestMetrics.summarize(deployment.id)
    const wanted = scalingOf(deployment).min
    return judgeHealth({ status: deployment.status, instances, recent, wanted, probe: undefined }).status
  }

  #probe({ name, environment }: Deployment) {
    const address = this.#deps.addresses.find(name, environment)
    return address && probeHealth(healthUrl(address))
  }

  #report({ id }: Deployment): ServedReport {
    return this.#deps.supervisor.has(id) ? this.#deps.supervisor.report(id) : NO_REPORT
  }
}

/** Omits the field when there are no warnings. */
function warningsMember(warnings: string[]): { warnings?: string[] } {
  return warnings.length > 0 ? { warnings } : {}
}
