import type { BuildOptions, BuildResult } from 'esbuild'

/** esbuild's own process ends after so long without a build: it holds tens of megabytes, and starts in a few milliseconds. */
const IDLE_MS = 60_000

/** esbuild, loaded with the first build, its process kept as long as builds follow each other. */
export class Bundler {
  readonly #idleMs: number
  #running = 0
  #timer: NodeJS.Timeout | undefined

  constructor(idleMs = IDLE_MS) {
    this.#idleMs = idleMs
  }

  async build(options: BuildOptions): Promise<BuildResult> {
    clearTimeout(this.#timer)
    this.#running++
    const esbuild = await import('esbuild')
    try {
      return await esbuild.build(options)
    } finally {
      this.#running--
      if (this.#running === 0) this.#stopLater(() => void esbuild.stop())
    }
  }

  #stopLater(stop: () => void): void {
    this.#timer = setTimeout(stop, this.#idleMs)
    this.#timer.unref()
  }
}
