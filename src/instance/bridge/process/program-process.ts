import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { ProgramLimits } from '../../../shared/instances/instance-protocol.ts'
import { ChildStartError } from './child-start-error.ts'
import { readOutput } from './line-reader.ts'
import { MARKER, type ProcessGuard } from './process-guard.ts'
import type { CommandLine } from './program-command.ts'
import { ProgramGroup } from './program-group.ts'
import { networkHint } from './program-network.ts'
import { storageAdvice, storageHint } from './program-storage.ts'
import { FILTER_DESCRIPTOR } from './sandbox.ts'
import { killMarked, watchTree } from './tree-watch.ts'

export interface StopDelays {
  /** Delay after closing the program's input, which stops a well-behaved server (MCP transports, stdio, "Shutdown"). */
  requestMs: number
  /** Delay between SIGTERM and SIGKILL. */
  terminateMs: number
}

/** Together shorter than the time that the daemon gives an instance to stop. */
const STOP_DELAYS: StopDelays = { requestMs: 300, terminateMs: 1500 }

export interface ProgramEnding {
  code: number | null
  signal: NodeJS.Signals | null
  /** Reason why the process could not be started. */
  error?: Error
  /** Reason why the program stopped, in words that complete a sentence about it. Undefined if only code or signal is known. */
  how?: string
}

export interface ProgramProcessOptions {
  guard: ProcessGuard
  onStderr(line: string): void
  delays?: StopDelays
  /** True for the client of a container engine, to which advice about proxy variables does not apply. */
  isContainer?: boolean
}

/** Time for reading the rest of the pipes after the program has stopped. */
const PIPES_MS = 500
const MAX_STDERR_LINE_BYTES = 16 * 1024
/** Lines kept to explain why the program stopped. */
const KEPT_LINES = 20
const KEPT_CHARACTERS = 500

const NICE = 5

/** Missing in some images. There, this instance is the container's first process, and all others stop with it. */
const SHELL = '/bin/sh'
// Joins the control groups in its first argument and reports to the guard before it becomes the program, so that the program is
// limited and guarded from its first instruction.
const LAUNCHER = `
for group in $1; do
  echo 0 >"$group/cgroup.procs" || { echo "The control group $group could not be joined." >&2; exit 126; }
done
shift
echo "+ $$" >&3
exec "$@" 3>&-`

/** A running program with its descendants, as one process group. */
export class ProgramProcess {
  readonly ended: Promise<ProgramEnding>
  /** Last lines of its standard error. */
  readonly lastLines: string[] = []
  readonly #child: ChildProcess
  readonly #options: ProgramProcessOptions
  #stopping: Promise<void> | undefined
  /** MARKER and its value, as set in the environment of the program's descendants. */
  readonly #marker: string | undefined
  /** Reason why the program was killed, in words that complete a sentence about it. */
  #killed: string | undefined
  #endWatch = () => {}
  readonly #group: ProgramGroup | undefined

  constructor(
    { file, args, env, cwd, filter, limits, isContained }: CommandLine,
    options: ProgramProcessOptions,
  ) {
    this.#options = options
    const isGuarded = existsSync(SHELL)
    // A sandbox has a PID namespace, which stops as a whole.
    const marker = isContained === false ? options.guard.nextMarker() : undefined
    if (marker !== undefined) this.#marker = `${MARKER}=${marker}`
    if (isGuarded && limits) this.#group = ProgramGroup.create(options.guard.nextGroup(), limits)
    const groups = this.#group?.folders.join(' ') ?? ''
    const line = isGuarded ? [SHELL, '-c', LAUNCHER, 'mcp-program', groups, file, ...args] : [file, ...args]
    this.#child = spawn(line[0]!, line.slice(1), {
      cwd,
      env: marker === undefined ? env : { ...env, [MARKER]: marker },
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
    // Without free descriptors, Node does not create pipes (lib/internal/child_process.js, `spawn`).
    if (!this.#child.stdin) {
      void this.#group?.end()
      throw new ChildStartError('the program could not be started: too many open files')
    }
    if (isGuarded && this.#child.pid !== undefined) options.guard.added(this.#child.pid)
    this.#child.stdin.on('error', () => {}) // `ended` reports it
    if (filter) this.#writeFilter(filter)
    if (limits && this.#child.pid !== undefined) this.#limit(this.#child.pid, limits)
    this.#readStderr()
  }

  #writeFilter(filter: Buffer): void {
    const pipe = this.#child.stdio[FILTER_DESCRIPTOR] as Writable
    pipe.on('error', () => {}) // the program stopped before it read the filter, which `ended` reports
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

  /** Advice after a failed call, also logged once. Many programs answer with the error from a failed write and log nothing. */
  adviceFor(failure: string): string | undefined {
    this.#logHint(storageHint.adviceAfter(failure, this.#elsewhere))
    return storageAdvice(failure)
  }

  /** Closes the program's input, then sends SIGTERM, then SIGKILL to the whole group. Resolves when the program has stopped. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    const { requestMs, terminateMs } = this.#options.delays ?? STOP_DELAYS
    this.#child.stdin!.end()
    if (await this.#endsWithin(requestMs)) return
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
    this.#endWatch = watchTree({ pid, limits, marker: this.#marker, onExceeded })
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      process.kill(-pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // the group is already gone
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
        // Remaining processes would hold the pipes open and use memory.
        this.#signal('SIGKILL')
        this.#endWatch()
        if (this.#marker !== undefined) killMarked(this.#marker)
        this.#options.guard.removed(child.pid!)
        const how = this.#killed ?? this.#group?.killedBecause
        const ending = { code, signal, ...(how !== undefined && { how }) }
        const emptied = this.#group?.end()
        child.once('close', () => void (emptied ?? Promise.resolve()).then(() => resolve(ending)))
        // A background process of the program may hold the pipes open forever. By then, everything in them has been read.
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
      if (!this.#options.isContainer) this.#logHint(networkHint.adviceAfter(line))
      this.#logHint(storageHint.adviceAfter(line, this.#elsewhere))
    }
    readOutput(this.#child.stderr!, MAX_STDERR_LINE_BYTES, keep)
  }

  #logHint(hint: string | undefined): void {
    if (hint !== undefined) this.#options.onStderr(hint)
  }

  /** Writable folders other than DATA_DIR. */
  get #elsewhere(): string {
    return this.#options.isContainer ? '/tmp' : 'HOME and TMPDIR'
  }
}

/** Gives programs a lower priority than the daemon and the serving processes. */
function yieldProcessor(pid: number): void {
  try {
    setPriority(pid, NICE)
  } catch {
    // The program has stopped, or its priority may not be changed. Nothing depends on the priority.
  }
}

/** For example `exited with code 1`, `was killed by SIGKILL`. */
export function describeProgramEnding({ code, signal, error, how }: ProgramEnding): string {
  if (how !== undefined) return how
  if (error) return `could not be started: ${error.message}`
  if (signal) return `was killed by ${signal}`
  return `exited with code ${code}`
}

/** For example `exited with code 1 before it listened on $PORT`. The step is omitted for a program that was never started. */
export function describeEarlyEnding(ending: ProgramEnding, step: string): string {
  const text = describeProgramEnding(ending)
  return ending.error ? text : `${text} before it ${step}`
}
