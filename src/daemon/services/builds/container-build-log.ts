import type { LogPage } from '../../../shared/contract/monitoring/log-pages.ts'
import type { BuildPhase } from '../../../shared/contract/states.ts'
import type { LogLine } from '../../../shared/instances/log-line.ts'
import type { LogStore } from '../../runtime/logs/log-store.ts'
import type { ContainerBuild } from '../../store/tables/container-builds.ts'

export interface ContainerLogQuery {
  limit: number
  nextToken?: string | undefined
  phase?: string | undefined
}

/** Phase of every build's last line. */
const LAST_PHASE: BuildPhase = 'COMPLETED'

export class ContainerBuildLog {
  readonly #logs: LogStore
  readonly #now: () => string
  /** Pending writes of last lines, by build. */
  readonly #finishing = new Map<string, Promise<void>>()

  constructor(logs: LogStore, now: () => string) {
    this.#logs = logs
    this.#now = now
  }

  async write(
    id: string,
    phase: BuildPhase,
    message: string,
    level: LogLine['level'] = 'info',
  ): Promise<void> {
    for (const line of message.split('\n'))
      await this.#logs.append(id, { timestamp: this.#now(), level, stream: 'server', phase, message: line })
  }

  /** Writes the last line. The state of the build is already final, so `page` waits for this line. */
  async finish(id: string, message: string, level: LogLine['level']): Promise<void> {
    const writing = this.write(id, LAST_PHASE, message, level)
    this.#finishing.set(id, writing)
    await writing.finally(() => this.#finishing.delete(id))
  }

  async page({ id, status }: ContainerBuild, query: ContainerLogQuery): Promise<LogPage> {
    await this.#finishing.get(id)?.catch(() => {}) // the writer tries again
    const { lines, nextToken } = await this.#logs.page(id, {
      ...query,
      ...(query.phase && { phase: query.phase.toUpperCase() }),
    } as never)
    return { id, status, lines: lines.map(withPhase), nextToken }
  }

  /** All lines, until the build's last line or until the signal aborts. */
  async *follow(build: ContainerBuild, signal: AbortSignal): AsyncGenerator<LogPage['lines'][number]> {
    if (build.endTime !== '') return yield* this.#all(build)
    for await (const { line } of this.#logs.follow(build.id, { tail: Number.MAX_SAFE_INTEGER, signal })) {
      yield withPhase(line)
      if (line.phase === LAST_PHASE) return
    }
  }

  async *#all(build: ContainerBuild): AsyncGenerator<LogPage['lines'][number]> {
    let nextToken: string | undefined
    do {
      const page = await this.page(build, { limit: 1000, nextToken })
      yield* page.lines
      nextToken = page.nextToken ?? undefined
    } while (nextToken !== undefined)
  }
}

function withPhase({ at, ...line }: LogLine): LogPage['lines'][number] {
  return { ...line, phase: line.phase ?? '' }
}
