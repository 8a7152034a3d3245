import { ApiKeys } from './api-keys.ts'
import type { Backups } from './backups.ts'
import { Builds } from './builds.ts'
import { Chats } from './chats.ts'
import { ContainerBuilds } from './container-builds.ts'
import { DeploymentLogs } from './deployment-logs.ts'
import { DeploymentMetrics } from './deployment-metrics.ts'
import { Records } from './deployment-records.ts'
import { Deployments } from './deployments.ts'
import { IdempotencyKeys } from './idempotency-keys.ts'
import { Mappings } from './mappings.ts'
import { VendorKeys } from './model-keys.ts'
import { Previews } from './previews.ts'
import { Projects } from './projects.ts'
import { PrometheusPage } from './prometheus-page.ts'
import { RateLimits } from './rate-limits.ts'
import { Releases } from './releases.ts'
import type { Rooms } from './rooms.ts'
import type { SignIns } from './sign-ins.ts'
import { Sources } from './sources.ts'
import { Surfaces } from './surfaces.ts'
import { TestAddresses } from './test-addresses.ts'
import { TestRuns } from './test-runs.ts'

/** What the HTTP API calls. */
export interface Services {
  builds: Builds
  deployments: Deployments
  deploymentLogs: DeploymentLogs
  deploymentMetrics: DeploymentMetrics
  mappings: Mappings
  containerBuilds: ContainerBuilds
  records: Records
  previews: Previews
  projects: Projects
  sources: Sources
  surfaces: Surfaces
  testRuns: TestRuns
  chats: Chats
  vendorKeys: VendorKeys
  backups: Backups
  prometheusPage: PrometheusPage
  apiKeys: ApiKeys
  idempotencyKeys: IdempotencyKeys
  rateLimits: RateLimits
  signIns: SignIns
}

export function createServices(rooms: Rooms, enterpriseLimit?: number): Services {
  const previews = new Previews(rooms)
  const deployments = new Deployments(rooms, new Releases(rooms))
  const builds = new Builds(rooms, previews)
  const chats = new Chats(rooms)
  const vendorKeys = new VendorKeys(rooms)
  return {
    previews,
    builds,
    containerBuilds: new ContainerBuilds(rooms, builds),
    deployments,
    mappings: new Mappings(rooms, deployments),
    deploymentMetrics: new DeploymentMetrics(rooms),
    deploymentLogs: new DeploymentLogs(rooms.store, rooms.logs),
    records: new Records(rooms, previews),
    projects: new Projects(rooms),
    sources: new Sources(rooms),
    surfaces: new Surfaces(rooms),
    chats,
    vendorKeys,
    testRuns: new TestRuns(rooms, chats, vendorKeys, new TestAddresses(rooms)),
    backups: rooms.backups,
    prometheusPage: new PrometheusPage(rooms),
    apiKeys: new ApiKeys(rooms.store, rooms.clock),
    idempotencyKeys: new IdempotencyKeys(rooms),
    signIns: rooms.signIns,
    rateLimits: new RateLimits(rooms.store.database, enterpriseLimit),
  }
}
