import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { ProgramLimits } from '../../shared/instance-protocol.ts'
import { ChildStartError } from './child-start-error.ts'
import type { CommandLine } from './command-line.ts'
import { LineReader } from './lines.ts'
import { MARKER, type ProcessGuard } from './process-guard.ts'
import { ProgramGroup } from './program-group.ts'
import { networkHint } from './program-network.ts'
import { FILTER_DESCRIPTOR } from './sandbox.ts'
import { killMarked, watchTree } from './tree-watch.ts'

export interface StopDelays {
  /** After its input was closed, which ends a server by itself (MCP transports, stdio, "Shutdown"). */
  politeMs: number
  /** Between SIGTERM and SIGKILL. */
  terminateMs: number
}

/** Together below what the daemon gives an instance to end. */
export const STOP_DELAYS: StopDelays = { politeMs: 300, terminateMs: 1500 }

export interface ProgramEnding {
  code: number | null
  signal: NodeJS.Signals | null
  /** It could not be started. */
  error?: Error
  /** What else is known of it: the rest of a sentence. */
  how?: string
}

export interface ProgramProcessOptions {
  guard: ProcessGuard
  onStderr(line: string): void
  delays?: StopDelays
}

/** After its end, for what still lies in its pipes. */
const PIPES_MS = 500
const MAX_STDERR_LINE_BYTES = 16 * 1024
/** Lines that its end is explained with. */
const KEPT_LINES = 20
const KEPT_CHARACTERS = 500

const NICE = 5

/** Not in every image; there all processes end with the first one, which is ours. */
const SHELL = '/bin/sh'
// Joins the control groups of its first argument and reports itself to the guard before it becomes the program, so that the
// program is limited and guarded from its first instruction.
const LAUNCHER = `
for group in $1; do
  echo 0 >"$group/cgroup.procs" || { echo "The control group $group could not be joined." >&2; exit 126; }
done
shift
echo "+ $$" >&3
exec "$@" 3>&-`

/** A running program with everything that it starts: one process group that ends as a whole. */
export class ProgramProcess {
  readonly ended: Promise<ProgramEnding>
  /** What it last wrote to standard error. */
  readonly lastLines: string[] = []
  readonly #child: ChildProcess
  readonly #options: ProgramProcessOptions
  #stopping: Promise<void> | undefined
  /** Value of MARKER in the environment of everything that it starts. */
  readonly #marker: string | undefined
  /** Why it was killed, as the rest of a sentence about it. */
  #killed: string | undefined
  #endWatch = () => {}
  readonly #group: ProgramGroup | undefined

  constructor(
    { file, args, env, cwd, filter, limits, isContained }: CommandLine,
    options: ProgramProcessOptions,
  ) {
    this.#options = options
    const isGuarded = existsSync(SHELL)
    // A sandbox has a process namespace, which ends as a whole.
    if (isContained === false) this.#marker = options.guard.nextMarker()
    if (isGuarded && limits) this.#group = ProgramGroup.create(options.guard.nextGroup(), limits)
    const groups = this.#group?.folders.join(' ') ?? ''
    const line = isGuarded ? [SHELL, '-c', LAUNCHER, 'mcp-program', groups, file, ...args] : [file, ...args]
    this.#child = spawn(line[0]!, line.slice(1), {
      cwd,
      env: this.#marker === undefined ? env : { ...env, [MARKER]: this.#marker },
      stdio: [
        'pipe',
        'pipe',
        'pipe',
        isGuarded ? options.guard.intake : 'ignore',
        ...(filter ? ['pipe' as const] : []),
      ],
      detached: true,
    })
    this.ended = this.#watchEnd()
    // Without descriptors to spare Node makes no pipes (lib/internal/child_process.js, `spawn`).
    if (!this.#child.stdin) {
      void this.#group?.end()
      throw new ChildStartError('the program could not be started: too many open files')
    }
    if (isGuarded && this.#child.pid !== undefined) options.guard.added(this.#child.pid)
    this.#child.stdin.on('error', () => {}) // its end is told by `ended`
    if (filter) this.#writeFilter(filter)
    if (limits && this.#child.pid !== undefined) this.#limit(this.#child.pid, limits)
    this.#readStderr()
  }

  #writeFilter(filter: Buffer): void {
    const pipe = this.#child.stdio[FILTER_DESCRIPTOR] as Writable
    pipe.on('error', () => {}) // the program ended before it read the filter, and `ended` says so
    pipe.end(filter)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get stdin(): Writable {
    return this.#child.stdin!
  }

  get stdout(): Readable {
    return this.#child.stdout!
  }

  /** Closes its input, then SIGTERM, then SIGKILL to all of it; resolves when it has ended. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    const { politeMs, terminateMs } = this.#options.delays ?? STOP_DELAYS
    this.#child.stdin!.end()
    if (await this.#endsWithin(politeMs)) return
    this.#signal('SIGTERM')
    if (await this.#endsWithin(terminateMs)) return
    this.#signal('SIGKILL')
    await this.ended
  }

  #limit(pid: number, limits: ProgramLimits): void {
    yieldProcessor(pid)
    const onExceeded = (how: string) => {
      this.#killed = how
      this.#signal('SIGKILL')
    }
    this.#endWatch = watchTree({ pid, limits, onExceeded })
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      process.kill(-pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // none of the group is left
    }
  }

  async #endsWithin(delayMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const delay = new Promise<false>(resolve => {
      timer = setTimeout(resolve, delayMs, false)
    })
    const ends = this.ended.then(() => true)
    const result = await Promise.race([ends, delay])
    clearTimeout(timer)
    return result
  }

  #watchEnd(): Promise<ProgramEnding> {
    const child = this.#child
    return new Promise(resolve => {
      child.once('error', error => {
        if (child.pid !== undefined) return
        void this.#group?.end()
        resolve({ code: null, signal: null, error })
      })
      child.once('exit', (code, signal) => {
        // What it left running would hold its pipes open, and the machine's memory.
        this.#signal('SIGKILL')
        this.#endWatch()
        if (this.#marker !== undefined) killMarked(`${MARKER}=${this.#marker}`)
        this.#options.guard.removed(child.pid!)
        const how = this.#killed ?? this.#group?.killedBecause
        const ending = { code, signal, ...(how !== undefined && { how }) }
        const emptied = this.#group?.end()
        child.once('close', () => void (emptied ?? Promise.resolve()).then(() => resolve(ending)))
        // A daemon that it made may hold the pipes for ever; what is in them by now is read.
        setTimeout(() => this.#closePipes(), PIPES_MS).unref()
      })
    })
  }

  #closePipes(): void {
    this.#child.stdout!.destroy()
    this.#child.stderr!.destroy()
  }

  #readStderr(): void {
    const keep = (line: string) => {
      if (line.trim() === '') return
      this.lastLines.push(line.slice(0, KEPT_CHARACTERS))
      if (this.lastLines.length > KEPT_LINES) this.lastLines.shift()
      this.#options.onStderr(line)
      const hint = networkHint.after(line)
      if (hint !== undefined) this.#options.onStderr(hint)
    }
    const reader = new LineReader({
      maxBytes: MAX_STDERR_LINE_BYTES,
      onLine: keep,
      onLongLine: (start, _end, bytes) => keep(`${start}… (${bytes} bytes)`),
    })
    this.#child.stderr!.on('data', chunk => reader.read(chunk))
    this.#child.stderr!.on('end', () => reader.end())
    this.#child.stderr!.on('error', () => {}) // a pipe that breaks tells nothing that its end does not
  }
}

/** Programs get less of the processor than the daemon and the processes that serve, when there is not enough. */
function yieldProcessor(pid: number): void {
  try {
    setPriority(pid, NICE)
  } catch {
    // It has ended, or may not be changed. Nothing depends on it.
  }
}

/** For example `ended with exit code 1`, `was killed by SIGKILL`. */
export function describeProgramEnding({ code, signal, error, how }: ProgramEnding): string {
  if (how !== undefined) return how
  if (error) return `could not be started: ${error.message}`
  if (signal) return `was killed by ${signal}`
  return `ended with exit code ${code}`
}
