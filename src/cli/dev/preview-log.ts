import { LOG_LEVELS } from '../../shared/contract/states.ts'
import type { ApiClient } from '../api/client.ts'
import { type LogEntry, readLogPage } from '../output/log-lines.ts'

export type Level = (typeof LOG_LEVELS)[number]

/** Follows the log of one build at a time. */
export class PreviewLog {
  readonly #openApi: () => Promise<ApiClient>
  readonly #show: (line: LogEntry) => void
  readonly #onEnd: () => void
  #current: AbortController | undefined

  /** `onEnd`: called when the log of the current build is closed, for example because the daemon stopped. */
  constructor(
    openApi: () => Promise<ApiClient>,
    { onLine, onEnd }: { onLine(line: LogEntry): void; onEnd(): void },
  ) {
    this.#openApi = openApi
    this.#show = onLine
    this.#onEnd = onEnd
  }

  follow(mcpId: string): void {
    this.close()
    const following = new AbortController()
    this.#current = following
    void this.#read(mcpId, following.signal)
  }

  close(): void {
    this.#current?.abort()
  }

  async #read(mcpId: string, signal: AbortSignal): Promise<void> {
    const path = `/api/lambda-deploy/${encodeURIComponent(mcpId)}/logs`
    try {
      const api = await this.#openApi()
      for await (const line of api.events<LogEntry>(path, { level: 'debug' }, signal)) {
        const [entry] = readLogPage([line]).lines
        if (entry) this.#show(entry)
      }
    } catch {
      // The API has no preview logs or is unreachable.
    }
    if (!signal.aborted) this.#onEnd()
  }
}

/** True for lines at or above the chosen level. Info lines of the daemon, such as start and stop, count as debug. */
export function isShown({ level = 'info', stream }: LogEntry, chosen: Level): boolean {
  const rank = LOG_LEVELS.indexOf(level as Level)
  if (stream === 'server' && level === 'info') return chosen === 'debug'
  return rank < 0 || rank >= LOG_LEVELS.indexOf(chosen)
}
