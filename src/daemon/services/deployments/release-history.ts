import {
  MAX_LISTED_CHANGES,
  type ReleaseChanges,
  type ReleaseNotes,
  type ReleaseRecord,
} from '../../../shared/contract/deployments/releases.ts'
import type { Environment } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { LogLine } from '../../../shared/instances/log-line.ts'
import { isBreaking } from '../../../shared/surface/surface-change.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import type { Release, ReleasePlace } from '../../store/tables/releases.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { compareWithLive } from './surfaces.ts'

const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS
/** Number of releases that a server keeps per environment after their deployments have been removed. */
const KEPT_RELEASES = 1000

/** Facts about a release that its deployment does not have. */
export interface ReleaseOrigin extends ReleaseNotes {
  /** Name of the API key. */
  author?: string
  rollbackTo?: number
}

type Dependencies = Pick<ServiceDependencies, 'requestMetrics' | 'store'>

/** Reads the releases of servers. */
export class ReleaseHistory {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Newest first. Throws NOT_FOUND for an unknown server. */
  list(
    name: string,
    environment: Environment | undefined,
    limit: number,
    cursor?: string,
  ): { items: ReleaseRecord[]; nextToken: string | null } {
    const { store } = this.#deps
    requireServer(this.#deps, name)
    const { items, nextCursor } = store.releases.list({ server: name, environment }, limit, cursor)
    return { items: items.map(release => this.#record(release)), nextToken: nextCursor }
  }

  #record({
    id,
    server,
    removedAt,
    requests,
    errors,
    status,
    deployedAt,
    ...release
  }: Release): ReleaseRecord {
    const { store, requestMetrics } = this.#deps
    const deployment = store.deployments.find(id)
    const unwritten = requestMetrics.unwritten(id)
    return {
      deploymentId: id,
      name: server,
      ...release,
      // A deployment that was removed between the two reads counts as stopped.
      status: deployment?.status ?? status ?? 'stopped',
      deployedAt: deployment?.deployedAt ?? deployedAt,
      error: deployment?.error ?? null,
      isRemoved: deployment === undefined,
      requests: requests + unwritten.requests,
      errors: errors + unwritten.errors,
    }
  }
}

/** Throws NOT_FOUND. */
export function requireServer({ store }: Pick<ServiceDependencies, 'store'>, name: string): void {
  if (store.servers.find(name)) return
  throw new HostingError('NOT_FOUND', `Server "${name}" does not exist.`, {
    next: [{ description: 'List servers', command: 'mcp list' }],
  })
}

/** Saves the release of a new deployment. Called in the transaction that creates it. */
export function recordRelease(
  { store }: Pick<ServiceDependencies, 'store'>,
  { id, name, environment, createdAt }: Deployment,
  { build, changes, origin }: { build: Build; changes: ReleaseChanges | null; origin: ReleaseOrigin },
): Release {
  const { author, message, git, test, rollbackTo } = origin
  return store.releases.create({
    id,
    server: name,
    environment,
    mcpId: build.id,
    digest: build.digest,
    author: author ?? null,
    message: message ?? null,
    git: git ?? null,
    test: test ?? null,
    changes,
    rollbackTo: rollbackTo ?? null,
    createdAt,
  })
}

/** Changes for clients of the live deployment. Null without a live deployment, or when an artifact cannot be read. */
export function releaseChanges(
  deps: Pick<ServiceDependencies, 'artifacts' | 'store'>,
  build: Build,
  environment: Environment,
): ReleaseChanges | null {
  try {
    const compared = compareWithLive(deps, build, environment)[0]
    if (!compared) return null
    const breaking = compared.changes.filter(isBreaking).length
    return {
      breaking,
      compatible: compared.changes.length - breaking,
      items: compared.changes.slice(0, MAX_LISTED_CHANGES),
    }
  } catch {
    return null // the start reports a damaged artifact
  }
}

/** First line of a release in its server's log. */
export function releaseLine({ version, author, message, mcpId, createdAt, rollbackTo }: Release): LogLine {
  const what = rollbackTo === null ? `build ${mcpId}` : `back to version ${rollbackTo}, build ${mcpId}`
  const text = [`release of version ${version}: ${what}`, author && `by ${author}`].filter(Boolean).join(' ')
  return {
    timestamp: createdAt,
    level: 'info',
    stream: 'server',
    message: message ? `${text}: ${message}` : text,
    release: version,
  }
}

/** Deletes the record of a deployment and keeps its release. */
export function removeRecord(
  { store, clock }: Pick<ServiceDependencies, 'clock' | 'store'>,
  deployment: Deployment,
): void {
  store.transaction(() => {
    store.releases.close(deployment, clock.now())
    store.deployments.remove(deployment.id)
  })
}

/** Releases whose logs may exist: those of current deployments, and of deployments removed within the last two days. */
export function releasesWithLogs(
  { store, clock }: Pick<ServiceDependencies, 'clock' | 'store'>,
  place: ReleasePlace,
): Release[] {
  return store.releases.listSince(place, timeBefore(clock.now(), 2 * DAY_MS))
}

/**
 * Releases that may write to their logs: those of running deployments, and of deployments that stopped within the last hour.
 */
export function activeReleases(
  { store, clock }: Pick<ServiceDependencies, 'clock' | 'store'>,
  place: ReleasePlace,
): Release[] {
  return store.releases.listActive(place, timeBefore(clock.now(), HOUR_MS))
}

/** Removes logs of deployments that were removed more than a day ago. */
export async function removeExpiredLogs({
  store,
  clock,
  logs,
}: Pick<ServiceDependencies, 'clock' | 'logs' | 'store'>): Promise<void> {
  const expired = store.releases.removedBefore(timeBefore(clock.now(), DAY_MS), await logs.ids())
  for (const id of expired) await logs.remove(id)
}

export function pruneReleases(
  { store, clock }: Pick<ServiceDependencies, 'clock' | 'store'>,
  { name, environment }: Deployment,
): void {
  store.releases.prune(name, environment, KEPT_RELEASES, timeBefore(clock.now(), 2 * DAY_MS))
}

function timeBefore(now: string, ms: number): string {
  return new Date(Date.parse(now) - ms).toISOString()
}
