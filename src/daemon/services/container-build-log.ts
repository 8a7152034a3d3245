import type { BuildPhase } from '../../shared/container-builds.ts'
import type { LogLine } from '../../shared/instance-protocol.ts'
import type { LogPage } from '../../shared/log-pages.ts'
import type { LogStore } from '../runtime/logs.ts'
import type { ContainerBuild } from '../store/container-builds.ts'

export interface ContainerLogQuery {
  limit: number
  nextToken?: string | undefined
  phase?: string | undefined
}

/** The last line of every build has this phase. */
const LAST: BuildPhase = 'COMPLETED'

/** Lines of container builds, written as they happen. */
export class ContainerBuildLog {
  readonly #logs: LogStore
  readonly #now: () => string
  /** Last lines that are being written. */
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

  /** The last line. The state is final already, so whoever reads the log while this is written waits for it. */
  async finish(id: string, message: string, level: LogLine['level']): Promise<void> {
    const writing = this.write(id, LAST, message, level)
    this.#finishing.set(id, writing)
    await writing.finally(() => this.#finishing.delete(id))
  }

  async page({ id, status }: ContainerBuild, query: ContainerLogQuery): Promise<LogPage> {
    await this.#finishing.get(id)?.catch(() => {}) // who writes it tries again
    const { lines, nextToken } = await this.#logs.page(id, {
      ...query,
      ...(query.phase && { phase: query.phase.toUpperCase() }),
    } as never)
    return { id, status, lines: lines.map(withPhase), nextToken }
  }

  /** All lines, those written already too, until the build's last one or the signal's abort. */
  async *follow(build: ContainerBuild, signal: AbortSignal): AsyncGenerator<LogPage['lines'][number]> {
    if (build.endTime !== '') return yield* this.#all(build)
    for await (const { line } of this.#logs.follow(build.id, { tail: Number.MAX_SAFE_INTEGER, signal })) {
      yield withPhase(line)
      if (line.phase === LAST) return
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

function withPhase(line: LogLine): LogPage['lines'][number] {
  return { ...line, phase: line.phase ?? '' }
}
