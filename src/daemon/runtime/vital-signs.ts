import { readFileSync } from 'node:fs'

export interface VitalSignsOptions {
  /** Undefined until the process runs. */
  pid(): number | undefined
  /** The last word of the process's title is what it runs, after this id (src/instance/process-title.ts). */
  id: string
  /** A process that answers nothing for so long is stuck. */
  patienceMs: number
  memoryLimitBytes: number
  /** Asks the process for a sign of life; `heard` is called when it comes. */
  ping(): void
  /** Called once, with what happened, as the rest of a sentence about the process. */
  onFault(reason: string): void
}

const PINGS_IN_PATIENCE = 6
/** A process that allocates all it can gets some hundred megabytes further in this time. */
const MEMORY_EVERY_MS = 200

/**
 * Watches a process that runs user code from outside, since that code may stop everything inside: whether its event loop
 * still turns, and how much memory it holds. V8 limits only its own heap; Buffers are not in it.
 */
export class VitalSigns {
  readonly #options: VitalSignsOptions
  readonly #timers: NodeJS.Timeout[]
  #heardAt = performance.now()
  /** Counted, because a daemon that was itself held up, or a machine that slept, has not listened all that time. */
  #unansweredPings = 0

  constructor(options: VitalSignsOptions) {
    this.#options = options
    const pingMs = options.patienceMs / PINGS_IN_PATIENCE
    this.#timers = [
      setInterval(() => this.#checkPulse(), pingMs).unref(),
      setInterval(() => this.#checkMemory(), MEMORY_EVERY_MS).unref(),
    ]
  }

  /** It said something, whatever it was. */
  heard(): void {
    this.#heardAt = performance.now()
    this.#unansweredPings = 0
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  #checkPulse(): void {
    if (this.#unansweredPings < PINGS_IN_PATIENCE) {
      this.#unansweredPings++
      return this.#options.ping()
    }
    const running = runningHandler(this.#options) ?? 'its code'
    const silentMs = performance.now() - this.#heardAt
    this.#fail(`was killed because ${running} ran for ${seconds(silentMs)} s without yielding`)
  }

  #checkMemory(): void {
    const { memoryLimitBytes } = this.#options
    const pid = this.#options.pid()
    const bytes = pid === undefined ? undefined : residentBytes(pid)
    if (bytes !== undefined && bytes > memoryLimitBytes)
      this.#fail(
        `was killed: out of memory (it held ${megabytes(bytes)} MB, limit ${megabytes(memoryLimitBytes)} MB)`,
      )
  }

  #fail(reason: string): void {
    this.stop()
    this.#options.onFault(reason)
  }
}

/** Undefined where the system does not tell it by `/proc`; there only V8's own limit holds. */
export function residentBytes(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readProc(pid, 'status') ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

/** For example `tool "add"`: the handler that was started last, as the process wrote into its title. */
function runningHandler({ pid: find, id }: VitalSignsOptions): string | undefined {
  const pid = find()
  const title = (pid === undefined ? undefined : readProc(pid, 'cmdline'))?.replaceAll('\0', ' ') ?? ''
  const at = title.indexOf(`${id} `)
  const handler = at < 0 ? '' : title.slice(at + id.length + 1).trim()
  // The title is in the hands of the process, and ends up in a log.
  return /^[a-z]+ "[\x20-\x7e]{1,200}"?$/.test(handler) ? handler : undefined
}

function readProc(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined // no such file system, or the process has just ended
  }
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024)
}
