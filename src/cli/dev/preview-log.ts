import type { ApiClient } from '../api-client.ts'
import { type LogEntry, readLogPage } from '../log-lines.ts'

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]

/** Follows the log of the build that is previewed; what the one before still says is heard until its log ends. */
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
      // An API without logs of previews, or one that ended: building goes on, and says so itself when it cannot.
    }
  }
}

/** Whether a line is of the level chosen. What the host says of starts and stops is no news while one develops. */
export function isShown({ level = 'info', stream }: LogEntry, chosen: Level): boolean {
  const rank = LEVELS.indexOf(level as Level)
  if (stream === 'server' && level === 'info') return chosen === 'debug'
  return rank < 0 || rank >= LEVELS.indexOf(chosen)
}
