import type { StoreEnvironment } from '../../../shared/contract/states.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Release, ReleasePlace } from '../../store/tables/releases.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { activeReleases, releasesWithLogs } from '../deployments/release-history.ts'
import type { RequestOrigin } from './to-record.ts'

type Dependencies = Pick<ServiceDependencies, 'clock' | 'store'>

/** Selects requests. Without a server, requests of all servers. */
export interface RequestScope {
  server?: string | undefined
  environment?: StoreEnvironment | undefined
  /** Deployment id, or build id for a preview. */
  deployment?: string | undefined
}

/** Number of recent builds of a server whose preview logs are read. `mcp dev` makes a build for each change. */
const RECENT_BUILDS = 20

/** Logs that may contain requests, with their origins. None for an unknown server or deployment. */
export function requestLogs(deps: Dependencies, scope: RequestScope): Map<string, RequestOrigin> {
  const { environment, deployment } = scope
  if (deployment !== undefined) {
    const origin = findOrigin(deps, deployment)
    return new Map(origin && [[deployment, origin]])
  }
  const releases = environment === 'preview' ? [] : releasesWithLogs(deps, placeOf(scope))
  return originsOf(releases, previewBuilds(deps, scope, RECENT_BUILDS))
}

/** Logs to which requests may be added. */
export function activeRequestLogs(deps: Dependencies, scope: RequestScope): Map<string, RequestOrigin> {
  const { environment, deployment } = scope
  if (deployment !== undefined) return requestLogs(deps, scope)
  const releases = environment === 'preview' ? [] : activeReleases(deps, placeOf(scope))
  return originsOf(releases, previewBuilds(deps, scope, 1))
}

/** Undefined for an id of neither a deployment nor a build. */
export function findOrigin({ store }: Dependencies, logId: string): RequestOrigin | undefined {
  const release = store.releases.find(logId)
  if (release) return originOfRelease(release)
  const build = store.builds.find(logId)
  return build && originOfPreview(build)
}

function placeOf({ server, environment }: RequestScope): ReleasePlace {
  return { server, environment: environment === 'preview' ? undefined : environment }
}

function previewBuilds(
  { store }: Dependencies,
  { server, environment }: RequestScope,
  count: number,
): Build[] {
  if (environment !== undefined && environment !== 'preview') return []
  if (server !== undefined) return store.builds.listByServer(server).slice(-count)
  const current = store.servers.list().map(({ previewMcpId }) => previewMcpId)
  return current.flatMap(id => (id === null ? [] : (store.builds.find(id) ?? [])))
}

function originsOf(releases: readonly Release[], builds: readonly Build[]): Map<string, RequestOrigin> {
  return new Map([
    ...releases.map(release => [release.id, originOfRelease(release)] as const),
    ...builds.map(build => [build.id, originOfPreview(build)] as const),
  ])
}

function originOfRelease({ id, server, environment, mcpId, version }: Release): RequestOrigin {
  return { server, environment, deploymentId: id, mcpId, version }
}

function originOfPreview({ id, name }: Build): RequestOrigin {
  return { server: name, environment: 'preview', deploymentId: null, mcpId: id, version: null }
}
