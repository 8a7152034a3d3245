import { LOG_LEVELS } from '../../shared/contract/states.ts'
import type { ApiClient } from '../api/client.ts'
import { type LogEntry, readLogPage } from '../output/log-lines.ts'

export type Level = (typeof LOG_LEVELS)[number]

/** Follows the log of the previewed build. The previous build's log is read until it ends. */
export class PreviewLog {
  readonly #api: ApiClient
  readonly #show: (line: LogEntry) => void
  #current: AbortController | undefined

  constructor(api: ApiClient, show: (line: LogEntry) => void) {
    this.#api = api
    this.#show = show
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
      for await (const line of this.#api.events<LogEntry>(path, { level: 'debug' }, signal)) {
        const [entry] = readLogPage([line]).lines
        if (entry) this.#show(entry)
      }
    } catch {
      // The API has no preview logs or is unreachable. The next build reports that.
    }
  }
}

/** True for lines of the chosen level. Start and stop messages of the host only count as debug. */
export function isShown({ level = 'info', stream }: LogEntry, chosen: Level): boolean {
  const rank = LOG_LEVELS.indexOf(level as Level)
  if (stream === 'server' && level === 'info') return chosen === 'debug'
  return rank < 0 || rank >= LOG_LEVELS.indexOf(chosen)
}
