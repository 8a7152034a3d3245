import type { Inspector } from '../../shared/contract/builds/inspector.ts'
import type { ApiClient } from '../api/client.ts'

export interface PreviewDebuggerOptions {
  openApi(): Promise<ApiClient>
  /** 0: any free port, which later builds keep. */
  port: number
  /** Called with the URL of each build's debugger. */
  onOpen(url: string): void
  /** Called if a debugger does not start. */
  onError(error: unknown): void
}

/** Keeps a debugger in the preview of the newest build. The debugger closes when this command exits, even after a crash. */
export class PreviewDebugger {
  readonly #options: PreviewDebuggerOptions
  #port: number
  #current: AbortController | undefined

  constructor(options: PreviewDebuggerOptions) {
    this.#options = options
    this.#port = options.port
  }

  follow(mcpId: string): void {
    this.close()
    this.#current = new AbortController()
    void this.#read(mcpId, this.#current.signal)
  }

  close(): void {
    this.#current?.abort()
  }

  async #read(mcpId: string, signal: AbortSignal): Promise<void> {
    const { openApi, onOpen, onError } = this.#options
    const path = `/v1/build/${encodeURIComponent(mcpId)}/inspector`
    let isOpen = false
    try {
      const api = await openApi()
      for await (const { url } of api.events<Inspector>(path, { port: String(this.#port) }, signal)) {
        if (url === null) continue
        this.#port = Number(new URL(url).port)
        isOpen = true
        onOpen(url)
      }
    } catch (error) {
      // The debugger also closes when the daemon stops. After the daemon's restart, `follow` is called again.
      if (signal.aborted || isOpen) return
      if (this.#port === this.#options.port) return onError(error)
      // Another program may have taken the port of the previous build in the meantime.
      this.#port = this.#options.port
      return this.#read(mcpId, signal)
    }
  }
}
