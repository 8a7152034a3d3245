import type { LogPage } from '../../../shared/contract/monitoring/log-pages.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { LogLine } from '../../../shared/instances/log-line.ts'
import { type LogFilter, matchesFilter, RUN_PHASE } from '../../runtime/logs/log-filter.ts'
import type { LogStore } from '../../runtime/logs/log-store.ts'
import { decodeToken } from '../../runtime/logs/log-tokens.ts'
import type { Store } from '../../store/store.ts'
import { buildLogLines } from '../builds/build-log-lines.ts'

export interface LogQuery extends LogFilter {
  tail?: number
}

type ShownLine = LogPage['lines'][number]

/** Token of a page that ended within the build's lines. Other tokens are positions in log files. */
const BUILD_TOKEN = /^build\.(\d{1,5})$/

/** Logs of deployments, and of previews by their build's id. The lines of the build come first. */
export class DeploymentLogs {
  readonly #store: Store
  readonly #logs: LogStore

  constructor(store: Store, logs: LogStore) {
    this.#store = store
    this.#logs = logs
  }

  /** Throws NOT_FOUND. */
  async page(id: string, query: LogQuery & { limit: number; nextToken?: string }): Promise<LogPage> {
    const status = this.#statusOf(id)
    const { lines, nextToken } = await this.#page(id, query)
    return { id, status, lines: lines.map(withPhase), nextToken }
  }

  /** New lines until the signal aborts. `tail` and `since` add older ones. The yielded `id` is the position to continue after. */
  async *follow(
    id: string,
    { after, ...query }: LogQuery & { after?: string | undefined; signal: AbortSignal },
  ): AsyncGenerator<{ id: string | undefined; data: ShownLine }> {
    if (after === undefined)
      for (const line of await this.#buildLinesBefore(id, query))
        yield { id: undefined, data: withPhase(line) }
    const lines = this.#logs.follow(id, after === undefined ? query : { ...query, after })
    for await (const { line, token } of lines) yield { id: token, data: withPhase(line) }
  }

  /** Checks a stream before it starts. Throws NOT_FOUND, and INVALID_REQUEST for an invalid `after`. */
  requireFollowable(id: string, after: string | undefined): void {
    this.#statusOf(id)
    decodeToken(after)
  }

  async #page(
    id: string,
    query: LogQuery & { limit: number; nextToken?: string },
  ): Promise<{ lines: LogLine[]; nextToken: string | null }> {
    const { limit, nextToken, tail } = query
    const inBuild = BUILD_TOKEN.exec(nextToken ?? '')
    if (nextToken !== undefined && !inBuild) return this.#logs.page(id, query)
    const buildLines = this.#buildLines(id, query)
    if (tail !== undefined) {
      const { lines } = await this.#logs.page(id, query)
      return {
        lines: [...buildLines, ...lines].slice(tail === 0 ? Number.POSITIVE_INFINITY : -tail),
        nextToken: null,
      }
    }
    const { nextToken: _before, ...first } = query
    const start = Number(inBuild?.[1] ?? 0)
    const left = buildLines.slice(start)
    if (left.length >= limit) return { lines: left.slice(0, limit), nextToken: `build.${start + limit}` }
    const { lines, nextToken: next } = await this.#logs.page(id, { ...first, limit: limit - left.length })
    return { lines: [...left, ...lines], nextToken: next }
  }

  /** Lines of the build that come before the first followed line. */
  async #buildLinesBefore(id: string, query: LogQuery): Promise<LogLine[]> {
    const { tail, since } = query
    if (!tail) return since === undefined ? [] : this.#buildLines(id, query)
    const { lines } = await this.#logs.page(id, { ...query, tail, limit: tail })
    return lines.length < tail ? this.#buildLines(id, query).slice(lines.length - tail) : []
  }

  #buildLines(id: string, filter: LogFilter): LogLine[] {
    const { deployments, builds } = this.#store
    const build = builds.find(deployments.find(id)?.mcpId ?? id)
    return build ? buildLogLines(build).filter(line => matchesFilter(line, filter)) : []
  }

  /** Throws NOT_FOUND for an id of neither a deployment nor a build. */
  #statusOf(id: string): string {
    const found = this.#store.deployments.find(id) ?? this.#store.builds.find(id)
    if (found) return found.status
    throw new HostingError('NOT_FOUND', `Deployment "${id}" does not exist.`, {
      next: [{ description: 'List servers and deployments', command: 'mcp list' }],
    })
  }
}

/**
 * Adds `phase`, so that the line has the same shape as the lines of container builds. Omits `answer` and `bodies`, which belong
 * to the request's record.
 */
export function withPhase({ at, answer, bodies, ...line }: LogLine): ShownLine {
  return { phase: RUN_PHASE, ...line, ...(at && { position: `${at.segment}.${at.offset}` }) }
}
