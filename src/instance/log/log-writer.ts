import { appendFile as appendFileCallback, appendFileSync, mkdirSync, write, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { bytesOf, clearTimer, performanceNow, setTimer, subarray } from '../isolation/intrinsics.ts'

const appendFile = promisify(appendFileCallback)
// Captured at start because user code gets other functions (src/instance/isolation).
const writeSoon = promisify(write)
const writeNow = writeSync

const FLUSH_MS = 100
/** Chunk size under load. A larger write would delay requests while it runs. */
const FLUSH_CHARACTERS = 32 * 1024
/** A write that takes longer has waited for the disk. Requests must not wait that long for a log. */
const SLOW_WRITE_MS = 20
const ASYNC_PERIOD_MS = 60_000
/**
 * Maximum length of the lines waiting for the disk. Additional lines are counted and dropped, so that a full disk does not
 * exhaust the memory.
 */
const MAX_WAITING_CHARACTERS = 1024 * 1024

/**
 * Appends lines to a file or an inherited descriptor in batches of 100 ms, so that no request waits for a slow disk. Opens
 * the file for each flush, so that a shared host needs no descriptor per tenant, and log rotation works.
 */
export class LogWriter {
  readonly #target: string | number
  /** Creates the line that reports lost lines. */
  readonly #lostLine: (count: number, reason: string) => string
  /** Whole lines. A string, because user code can replace the methods of arrays. */
  #waiting = ''
  #waitingLines = 0
  #lost = 0
  #lostReason = 'too many at once'
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> | undefined
  #held = false

  constructor(target: string | number, lostLine: (count: number, reason: string) => string) {
    this.#target = target
    this.#lostLine = lostLine
  }

  /** `line` must not contain a line feed. */
  write(line: string): void {
    if (this.#waiting.length > MAX_WAITING_CHARACTERS) {
      this.#lost++
      return
    }
    this.#waiting += `${line}\n`
    this.#waitingLines++
    if (this.#waiting.length > FLUSH_CHARACTERS) this.#flushSoon()
    else this.#schedule()
  }

  /** Blocks until all waiting lines are written, unless the log is held. */
  flushNow(): void {
    if (this.#held || this.#waitingLines === 0) return
    const lines = this.#waitingLines + this.#lost
    try {
      appendNow(this.#target, this.#take())
    } catch (error) {
      this.#lost += lines
      this.#lostReason = (error as NodeJS.ErrnoException).code ?? 'unknown'
    }
  }

  /** Resolves when no write is running. None starts until `resume`. */
  async hold(): Promise<void> {
    this.#held = true
    await this.#flushing
  }

  resume(): void {
    this.#held = false
    if (this.#waitingLines > 0) this.#schedule()
  }

  /** Resolves when everything is written. Nothing may be written afterwards. */
  async close(): Promise<void> {
    clearTimer(this.#timer)
    await this.#flushing
    clearTimer(this.#timer)
    this.#held = false
    await this.#flush()
  }

  // The timer keeps the process alive, so that lines are not lost when the event loop is otherwise empty.
  #schedule(): void {
    if (this.#held || this.#flushing) return
    this.#timer ??= setTimer(() => this.#flushSoon(), FLUSH_MS)
  }

  #flushSoon(): void {
    if (this.#held || this.#flushing) return
    clearTimer(this.#timer)
    this.#timer = undefined
    this.#flushing = this.#flush().finally(() => {
      this.#flushing = undefined
      if (this.#waiting.length > FLUSH_CHARACTERS) this.#flushSoon()
      else if (this.#waitingLines > 0) this.#schedule()
    })
  }

  async #flush(): Promise<void> {
    if (this.#held || this.#waitingLines === 0) return
    const lines = this.#waitingLines + this.#lost
    const text = this.#take()
    try {
      await append(this.#target, text)
    } catch (error) {
      this.#lost += lines
      this.#lostReason = (error as NodeJS.ErrnoException).code ?? 'unknown'
    }
  }

  #take(): string {
    const text = this.#waiting
    const lost = this.#lost > 0 ? `${this.#lostLine(this.#lost, this.#lostReason)}\n` : ''
    this.#lost = 0
    this.#waiting = ''
    this.#waitingLines = 0
    return text + lost
  }
}

async function append(target: string | number, text: string): Promise<void> {
  if (typeof target === 'number') return appendToDescriptor(target, text)
  try {
    await appendToFile(target, text)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    await appendToFile(target, text)
  }
}

let slowUntil = 0

/** Writes synchronously unless the disk is slow, because the thread pool costs ten times the processor time. */
async function appendToFile(path: string, text: string): Promise<void> {
  const startedAt = performanceNow()
  if (startedAt < slowUntil) return appendFile(path, text, { mode: 0o600 })
  appendFileSync(path, text, { mode: 0o600 })
  const now = performanceNow()
  if (now - startedAt > SLOW_WRITE_MS) slowUntil = now + ASYNC_PERIOD_MS
}

async function appendToDescriptor(descriptor: number, text: string): Promise<void> {
  for (let rest = bytesOf(text); rest.length > 0; ) {
    const { bytesWritten } = await writeSoon(descriptor, rest)
    rest = subarray(rest, bytesWritten)
  }
}

function appendNow(target: string | number, text: string): void {
  if (typeof target === 'string') return appendFileSync(target, text, { mode: 0o600 })
  for (let rest = bytesOf(text); rest.length > 0; ) rest = subarray(rest, writeNow(target, rest))
}
