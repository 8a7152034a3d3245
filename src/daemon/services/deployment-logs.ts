import type { LogPage } from '../../shared/deployments.ts'
import { HostingError } from '../../shared/errors.ts'
import type { LogLine } from '../../shared/instance-protocol.ts'
import { decodeToken, type LogStore } from '../runtime/logs.ts'
import type { Store } from '../store/store.ts'

export interface LogQuery {
  level?: LogLine['level']
  since?: string
  until?: string
  grep?: string
  tail?: number
  tool?: string
  sessionId?: string
  requestId?: string
  instance?: string
  /** A deployment has one phase only, `RUN`; lines of any other there are none. */
  phase?: string
}

const PHASE = 'RUN'

/** Log lines of deployments, and of previews under their build's id. */
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
    if (!hasPhase(query)) return { id, status, lines: [], nextToken: null }
    const { phase: _run, ...filter } = query
    const { lines, nextToken } = await this.#logs.page(id, filter)
    return { id, status, lines: lines.map(withPhase), nextToken }
  }

  /** Lines as they come, until the signal aborts; `id` leads to what comes after one. */
  async *follow(
    id: string,
    query: LogQuery & { after?: string | undefined; signal: AbortSignal },
  ): AsyncGenerator<{ id: string | undefined; data: LogPage['lines'][number] }> {
    if (!hasPhase(query)) return
    const { phase: _run, after, ...filter } = query
    const lines = this.#logs.follow(id, after === undefined ? filter : { ...filter, after })
    for await (const { line, token } of lines) yield { id: token, data: withPhase(line) }
  }

  /** Throws NOT_FOUND for what is neither a deployment nor a build. */
  #statusOf(id: string): string {
    const found = this.#store.deployments.find(id) ?? this.#store.builds.find(id)
    if (found) return found.status
    throw new HostingError('NOT_FOUND', `There is no deployment "${id}".`, {
      next: [{ description: 'See what there is', command: 'mcp list' }],
    })
  }

  /** Throws NOT_FOUND, and INVALID_REQUEST for an `after` that no line had; to be asked before a stream is begun. */
  requireFollowable(id: string, after: string | undefined): void {
    this.#statusOf(id)
    decodeToken(after)
  }
}

function hasPhase({ phase }: LogQuery): boolean {
  return phase === undefined || phase.toUpperCase() === PHASE
}

/** The field is there because container builds, which have phases, share the shape. */
function withPhase(line: LogLine): LogPage['lines'][number] {
  return { phase: PHASE, ...line }
}
