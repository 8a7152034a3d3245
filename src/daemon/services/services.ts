import { ApiKeys } from './access/api-keys.ts'
import { ConsoleSessions } from './access/console-sessions.ts'
import { IdempotencyKeys } from './access/idempotency-keys.ts'
import { VendorKeys } from './access/model-keys.ts'
import { RateLimits } from './access/rate-limits.ts'
import { SignInGrants } from './access/sign-in-grants.ts'
import { HostCertificates } from './addresses/host-certificates.ts'
import { Mappings } from './addresses/mappings.ts'
import { McpTargets } from './addresses/mcp-targets.ts'
import { TestAddresses } from './addresses/test-addresses.ts'
import { Builds } from './builds/builds.ts'
import { ContainerBuilds } from './builds/container-builds.ts'
import { Previews } from './builds/previews.ts'
import { Sources } from './builds/sources.ts'
import { TemporaryBuilds } from './builds/temporary-builds.ts'
import type { ServiceDependencies } from './dependencies.ts'
import { DeploymentLogs } from './deployments/deployment-logs.ts'
import { DeploymentRecords } from './deployments/deployment-records.ts'
import { Deployments } from './deployments/deployments.ts'
import { ReleaseHistory } from './deployments/release-history.ts'
import { Releases } from './deployments/releases.ts'
import { ServerLogs } from './deployments/server-logs.ts'
import { Surfaces } from './deployments/surfaces.ts'
import { Variables } from './deployments/variables.ts'
import { Events } from './events/events.ts'
import { DeploymentMetrics } from './metrics/deployment-metrics.ts'
import { PrometheusPage } from './metrics/prometheus-page.ts'
import { ServerMetricsHistory } from './metrics/server-metrics.ts'
import { Projects } from './projects/projects.ts'
import { Pruner } from './prune/prune.ts'
import { Replays } from './requests/replays.ts'
import { RequestRecords } from './requests/request-records.ts'
import { ServerRemoval } from './servers/server-removal.ts'
import { ServerSessions } from './servers/server-sessions.ts'
import { ServerStores } from './servers/server-stores.ts'
import { Chats } from './testing/chats.ts'
import { SuiteRuns } from './testing/suite-runs.ts'
import { TestRuns } from './testing/test-runs.ts'

/** Services that the HTTP API calls. */
export type Services = ReturnType<typeof createServices>

export function createServices(deps: ServiceDependencies, enterpriseLimit?: number) {
  const previews = new Previews(deps)
  const deployments = new Deployments(deps, new Releases(deps))
  const builds = new Builds(deps, previews)
  const temporaryBuilds = new TemporaryBuilds(deps, builds)
  const chats = new Chats(deps)
  const vendorKeys = new VendorKeys(deps)
  const records = new DeploymentRecords(deps, previews)
  const deploymentMetrics = new DeploymentMetrics(deps)
  const apiKeys = new ApiKeys(deps.store, deps.clock)
  const requestRecords = new RequestRecords(deps)
  return {
    previews,
    builds,
    temporaryBuilds,
    containerBuilds: new ContainerBuilds(deps, builds),
    deployments,
    mcpTargets: new McpTargets(deps),
    mappings: new Mappings(deps, deployments),
    hostCertificates: new HostCertificates(deps),
    deploymentMetrics,
    events: new Events(deps, { records, deploymentMetrics }),
    releaseHistory: new ReleaseHistory(deps),
    serverLogs: new ServerLogs(deps),
    serverMetrics: new ServerMetricsHistory(deps),
    deploymentLogs: new DeploymentLogs(deps.store, deps.logs),
    records,
    requestRecords,
    replays: new Replays(deps, requestRecords),
    projects: new Projects(deps),
    prune: new Pruner(deps, { builds, deployments, temporaryBuilds }),
    sources: new Sources(deps),
    surfaces: new Surfaces(deps),
    variables: new Variables(deps, previews),
    chats,
    suiteRuns: new SuiteRuns(deps),
    vendorKeys,
    testRuns: new TestRuns(deps, chats, vendorKeys, new TestAddresses(deps, temporaryBuilds)),
    backups: deps.backups,
    prometheusPage: new PrometheusPage(deps),
    apiKeys,
    consoleSessions: new ConsoleSessions(deps),
    idempotencyKeys: new IdempotencyKeys(deps),
    serverRemoval: new ServerRemoval(deps, deployments, builds),
    serverSessions: new ServerSessions(deps),
    serverStores: new ServerStores(deps),
    signIns: deps.signIns,
    signInGrants: new SignInGrants(deps),
    rateLimits: new RateLimits(deps.store.database, enterpriseLimit),
  }
}

/** Marks a deployment as `failed` when the runtime gives up on it. A preview is started again by its next connection. */
export function handleFailure(
  deps: Pick<ServiceDependencies, 'background' | 'store'>,
  { deployments, previews }: Services,
  id: string,
  error: Error,
): void {
  if (deps.background.closing) return
  const preview = deps.store.builds.find(id)
  if (preview) deps.background.run(() => previews.reset(preview))
  else if (deps.store.deployments.find(id)) deps.background.run(() => deployments.fail(id, error))
}
