import { readFileSync } from 'node:fs'

export interface VitalSignsOptions {
  /** Undefined until the process is running. */
  pid(): number | undefined
  /** Precedes the current handler in the process title (src/instance/isolation/process-title.ts). */
  id: string
  /** A process that sends nothing for this long is stuck. */
  hangTimeoutMs: number
  memoryLimitBytes: number
  /** Asks the process for any message. `onMessage` is called when it arrives. */
  ping(): void
  /** Called once. `reason` completes a sentence about the process. */
  onFault(reason: string): void
}

const PINGS_PER_TIMEOUT = 6
/** A process that allocates at full speed grows by a few hundred megabytes in this time. */
const MEMORY_EVERY_MS = 200

/**
 * Watchdog for a process that runs user code, which may block everything inside the process. Checks the event loop and
 * the resident memory. V8 limits only its heap, which does not include Buffers.
 */
export class VitalSigns {
  readonly #options: VitalSignsOptions
  readonly #timers: NodeJS.Timeout[]
  #lastMessageAt = performance.now()
  /** Counted instead of the time, because the daemon may have been blocked or the machine suspended. */
  #unansweredPings = 0

  constructor(options: VitalSignsOptions) {
    this.#options = options
    const pingMs = options.hangTimeoutMs / PINGS_PER_TIMEOUT
    this.#timers = [
      setInterval(() => this.#checkEventLoop(), pingMs).unref(),
      setInterval(() => this.#checkMemory(), MEMORY_EVERY_MS).unref(),
    ]
  }

  onMessage(): void {
    this.#lastMessageAt = performance.now()
    this.#unansweredPings = 0
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  #checkEventLoop(): void {
    if (this.#unansweredPings < PINGS_PER_TIMEOUT) {
      this.#unansweredPings++
      return this.#options.ping()
    }
    const running = runningHandler(this.#options) ?? 'its code'
    const silentMs = performance.now() - this.#lastMessageAt
    this.#fail(`was killed because ${running} ran for ${seconds(silentMs)} s without yielding`)
  }

  #checkMemory(): void {
    const { memoryLimitBytes } = this.#options
    const pid = this.#options.pid()
    const bytes = pid === undefined ? undefined : residentBytes(pid)
    if (bytes !== undefined && bytes > memoryLimitBytes)
      this.#fail(
        `was killed: out of memory (it used ${megabytes(bytes)} MB, limit ${megabytes(memoryLimitBytes)} MB)`,
      )
  }

  #fail(reason: string): void {
    this.stop()
    this.#options.onFault(reason)
  }
}

/** Undefined on systems without `/proc`, where only V8's own limit applies. */
export function residentBytes(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readProc(pid, 'status') ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

/** The handler that was started last, according to the process's title. For example `tool "add"`. */
function runningHandler({ pid: find, id }: VitalSignsOptions): string | undefined {
  const pid = find()
  const title = (pid === undefined ? undefined : readProc(pid, 'cmdline'))?.replaceAll('\0', ' ') ?? ''
  const at = title.indexOf(`${id} `)
  const handler = at < 0 ? '' : title.slice(at + id.length + 1).trim()
  // The process controls its title, and this text is logged.
  return /^[a-z]+ "[\x20-\x7e]{1,200}"?$/.test(handler) ? handler : undefined
}

function readProc(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined // no such file system, or the process has just exited
  }
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024)
}
