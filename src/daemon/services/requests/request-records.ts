import type {
  RequestArchive,
  RequestPage,
  RequestRecordItem,
} from '../../../shared/contract/monitoring/requests.ts'
import type { RequestOutcome } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { LogLine } from '../../../shared/instances/log-line.ts'
import type { LogFilter } from '../../runtime/logs/log-filter.ts'
import { decodeToken } from '../../runtime/logs/log-tokens.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { toArchive } from './archive.ts'
import { parseRecordId } from './record-id.ts'
import { activeRequestLogs, findOrigin, type RequestScope, requestLogs } from './request-logs.ts'
import {
  idOf,
  isRequestLine,
  isRoutine,
  outcomeOf,
  type RequestOrigin,
  toDetail,
  toRecord,
} from './to-record.ts'

type Dependencies = Pick<ServiceDependencies, 'clock' | 'logs' | 'store'>

export interface RequestQuery extends RequestScope {
  since?: string | undefined
  until?: string | undefined
  method?: string | undefined
  tool?: string | undefined
  sessionId?: string | undefined
  caller?: string | undefined
  /** Prefix of the id. */
  id?: string | undefined
  /** `failed`: all except `ok`. */
  outcome?: RequestOutcome | 'failed' | undefined
  /** `call`: all except successful requests that clients send automatically. */
  kind?: 'call' | undefined
  /** Text that the record or its bodies contain. */
  text?: string | undefined
}

/** Log line of a request, with its log and origin, from which its record is made. */
export interface FoundRequest {
  line: LogLine
  logId: string
  origin: RequestOrigin
}

/** Records of requests. Instances write them as lines of their logs, and the daemon reads them on demand. */
export class RequestRecords {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Newest first. Throws INVALID_REQUEST for an invalid token. */
  async list(query: RequestQuery & { limit: number; nextToken?: string | undefined }): Promise<RequestPage> {
    const { lines, origins, nextToken } = await this.#newest(query)
    return { items: lines.map(line => toRecord(line, line.deployment!, originOf(line, origins))), nextToken }
  }

  /** The newest requests with their bodies as an HTTP archive, oldest first. */
  async archive({ limit, ...query }: RequestQuery & { limit: number }): Promise<RequestArchive> {
    const requests: RequestRecordItem[] = []
    let nextToken: string | undefined
    do {
      const page = await this.#newest({ ...query, limit: limit - requests.length, nextToken })
      for (const line of page.lines)
        requests.push(toDetail(line, line.deployment!, originOf(line, page.origins)))
      nextToken = page.nextToken ?? undefined
    } while (nextToken !== undefined && requests.length < limit)
    return toArchive(requests.reverse())
  }

  /**
   * New records until the signal aborts, including those of later releases. `since` adds older ones. `id` is the position to
   * continue after.
   */
  async *follow(
    query: RequestQuery & { after?: string | undefined; signal: AbortSignal },
  ): AsyncGenerator<{ id: string | undefined; data: RequestRecordItem }> {
    const { after, signal } = query
    const known = after === undefined ? requestLogs(this.#deps, query) : new Map<string, RequestOrigin>()
    let older: string[] | undefined = [...known.keys()]
    // Records of past releases are only read once.
    const current = () => {
      const active = activeRequestLogs(this.#deps, query)
      for (const [id, origin] of active) known.set(id, origin)
      const ids = [...new Set([...(older ?? []), ...active.keys()])]
      older = undefined
      return ids
    }
    const options = {
      ...filterOf(query),
      signal,
      ...(after !== undefined && { after }),
    }
    for await (const { line, token } of this.#deps.logs.follow(current, options))
      yield { id: token, data: toRecord(line, line.deployment!, originOf(line, known)) }
  }

  /** Checks a stream before it starts. Throws INVALID_REQUEST for an invalid `after`. */
  requireFollowable(after: string | undefined): void {
    decodeToken(after)
  }

  /** Throws NOT_FOUND for an unknown id, and for a record whose log was removed. */
  async get(id: string): Promise<RequestRecordItem> {
    const { line, logId, origin } = await this.find(id)
    return toDetail(line, logId, origin)
  }

  /** Throws NOT_FOUND. */
  async find(id: string): Promise<FoundRequest> {
    const place = parseRecordId(id)
    const origin = place && findOrigin(this.#deps, place.logId)
    const line = origin && (await this.#deps.logs.lineAt(place.logId, place.instance, place.at))
    if (origin && line && isRequestLine(line)) return { line, logId: place.logId, origin }
    throw new HostingError('NOT_FOUND', `Request record "${id}" does not exist.`, {
      details: 'Records are kept as long as the log of their deployment, at most a week.',
      next: [{ description: 'List the last requests', command: 'mcp requests' }],
    })
  }

  async #newest(query: RequestQuery & { limit: number; nextToken?: string | undefined }) {
    const { limit, nextToken } = query
    const origins = requestLogs(this.#deps, query)
    const page = await this.#deps.logs.newest([...origins.keys()], { ...filterOf(query), limit, nextToken })
    return { ...page, origins }
  }
}

function originOf({ deployment }: LogLine, origins: ReadonlyMap<string, RequestOrigin>): RequestOrigin {
  return origins.get(deployment!)!
}

function filterOf(query: RequestQuery): LogFilter {
  const { since, until, tool, sessionId } = query
  return {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(tool !== undefined && { tool }),
    ...(sessionId !== undefined && { sessionId }),
    accepts: line => isRequestLine(line) && matches(line, query),
  }
}

function matches(line: LogLine, { id, method, caller, outcome, kind, text }: RequestQuery): boolean {
  if (id !== undefined && !idOf(line, line.deployment!).startsWith(id)) return false
  if (method !== undefined && line.method !== method) return false
  if (caller !== undefined && line.caller !== caller) return false
  if (outcome === 'failed' ? outcomeOf(line) === 'ok' : outcome && outcomeOf(line) !== outcome) return false
  if (kind === 'call' && isRoutine(line)) return false
  return text === undefined || textOf(line).toLowerCase().includes(text.toLowerCase())
}

/** Text of a record that is searched: the values without the field names, which are the same in every record. */
function textOf(line: LogLine): string {
  const { message, tool, sessionId, caller, requestId, reason, replayOf, arguments: args, answer } = line
  return [
    message,
    tool,
    sessionId,
    caller,
    requestId,
    reason,
    replayOf,
    bodyText(args),
    bodyText(answer),
  ].join('\n')
}

function bodyText(body: unknown): string | undefined {
  return typeof body === 'string' ? body : JSON.stringify(body)
}
