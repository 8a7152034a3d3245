import type { ServerLogPage } from '../../../shared/contract/monitoring/log-pages.ts'
import type { LogLine } from '../../../shared/instances/log-line.ts'
import { decodeToken } from '../../runtime/logs/log-tokens.ts'
import type { Release, ReleasePlace } from '../../store/tables/releases.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { type LogQuery, withPhase } from './deployment-logs.ts'
import { activeReleases, releasesWithLogs, requireServer } from './release-history.ts'

type ShownLine = ServerLogPage['lines'][number]
type Dependencies = Pick<ServiceDependencies, 'clock' | 'logs' | 'store'>

/** Logs of servers across their releases, merged by time. Without a server, those of all servers. */
export class ServerLogs {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Throws NOT_FOUND for an unknown server. */
  async page(
    place: ReleasePlace,
    query: LogQuery & { limit: number; nextToken?: string },
  ): Promise<ServerLogPage> {
    this.#requireServer(place)
    const releases = this.#releases(place)
    const { lines, nextToken } = await this.#deps.logs.page([...releases.keys()], query)
    return { lines: lines.map(line => withRelease(line, releases)), nextToken }
  }

  /**
   * New lines until the signal aborts, including those of later releases. `tail` and `since` add older ones. `id` is the position
   * to continue after.
   */
  async *follow(
    place: ReleasePlace,
    query: LogQuery & { after?: string | undefined; signal: AbortSignal },
  ): AsyncGenerator<{ id: string | undefined; data: ShownLine }> {
    const known = query.after === undefined ? this.#releases(place) : new Map<string, Release>()
    let older: string[] | undefined = [...known.keys()]
    // Lines of past releases are only read once.
    const current = () => {
      const active = activeReleases(this.#deps, place)
      for (const release of active) known.set(release.id, release)
      const ids = [...new Set([...(older ?? []), ...active.map(({ id }) => id)])]
      older = undefined
      return ids
    }
    for await (const { line, token } of this.#deps.logs.follow(current, query))
      yield { id: token, data: withRelease(line, known) }
  }

  /** Checks a stream before it starts. Throws NOT_FOUND, and INVALID_REQUEST for an invalid `after`. */
  requireFollowable(place: ReleasePlace, after: string | undefined): void {
    this.#requireServer(place)
    decodeToken(after)
  }

  #requireServer({ server }: ReleasePlace): void {
    if (server !== undefined) requireServer(this.#deps, server)
  }

  #releases(place: ReleasePlace): Map<string, Release> {
    return new Map(releasesWithLogs(this.#deps, place).map(release => [release.id, release]))
  }
}

function withRelease({ deployment, ...line }: LogLine, releases: ReadonlyMap<string, Release>): ShownLine {
  const { id, server, environment, version } = releases.get(deployment!)!
  return { ...withPhase(line), server, environment, deploymentId: id, version }
}
