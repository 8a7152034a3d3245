import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { request } from 'undici'
import type { Tenant, TenantContainer } from '../../shared/instance-protocol.ts'
import { ChildStartError } from '../bridge/child-start-error.ts'
import { LineReader } from '../bridge/lines.ts'
import type { ProcessGuard } from '../bridge/process-guard.ts'
import { describeProgramEnding, type ProgramEnding, ProgramProcess } from '../bridge/program-process.ts'
import { findFreePort } from '../proxy/http-child.ts'
import type { ContainerGuard } from './container-guard.ts'
import { OomWatch } from './oom-watch.ts'
import { residentBytes } from './process-memory.ts'
import { runArguments } from './run-arguments.ts'

export interface ContainerChildOptions {
  container: TenantContainer
  tenant: Tenant
  processes: ProcessGuard
  containers: ContainerGuard
  /** From the start to the first answer over HTTP. */
  startTimeoutMs: number
  onOutput(stream: 'stdout' | 'stderr', line: string): void
  /** Called before it listens. */
  onStarted?(child: ContainerChild): void
}

const PROBE_PAUSE_MS = 30
const PROBE_MS = 2000
const COMMAND_MS = 15_000
const MAX_LINE_BYTES = 256 * 1024
/** The client passes SIGTERM on; a container that does not end is removed. */
const STOP_DELAYS = { politeMs: 0, terminateMs: 1500 }
const SIGKILLED = 137
/** Nothing of it ran: https://docs.podman.io/en/latest/markdown/podman-run.1.html#exit-status; docker has the same. */
const NOT_STARTED = [125, 126, 127]

/** A container that serves HTTP on a loopback port of its own, and the engine's client that runs it. */
export class ContainerChild {
  readonly name: string
  readonly process: ProgramProcess
  /** Resolves when nothing of the container is left. */
  readonly ended: Promise<ProgramEnding>
  readonly port: number
  isAlive = true
  isStopping = false
  readonly isBusy = false
  readonly #options: ContainerChildOptions
  readonly #oomWatch = new OomWatch()
  #pid: number | undefined

  private constructor(port: number, options: ContainerChildOptions) {
    const { container, tenant, processes, containers } = options
    this.#options = options
    this.port = port
    this.name = `mcp-${tenant.id.replace(/[^\w.-]/g, '-')}-${randomBytes(4).toString('hex')}`
    const { args, env } = runArguments(container, tenant, { name: this.name, port })
    containers.added(this.name)
    this.process = new ProgramProcess(
      { file: container.file, args, env, cwd: '/' },
      { guard: processes, delays: STOP_DELAYS, onStderr: line => options.onOutput('stderr', line) },
    )
    this.#readOutput()
    this.ended = this.#watchEnd()
  }

  /** Resolves when it answers over HTTP, whatever it says. Rejects with ChildStartError; then it has ended. */
  static async start(options: ContainerChildOptions): Promise<ContainerChild> {
    const child = new ContainerChild(await findFreePort(), options)
    options.onStarted?.(child)
    const deadline = Date.now() + options.startTimeoutMs
    while (child.isAlive && Date.now() < deadline) {
      if (await child.answers()) {
        void child.#findProcess()
        return child
      }
      await Promise.race([child.ended, new Promise(resolve => setTimeout(resolve, PROBE_PAUSE_MS))])
    }
    throw await child.#failed()
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Whether a request gets an answer: the engine's own proxy accepts connections before the server does. */
  async answers(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(PROBE_MS)
      const { body } = await request(`${this.origin}/health`, { signal, reset: true })
      await body.dump()
      return true
    } catch {
      return false // which is the answer
    }
  }

  /** Of its first process. */
  get memoryBytes(): number {
    return this.#pid === undefined ? 0 : residentBytes(this.#pid)
  }

  async stop(): Promise<void> {
    this.isStopping = true
    await this.process.stop()
    await this.ended
  }

  async #watchEnd(): Promise<ProgramEnding> {
    const ending = await this.process.ended
    this.isAlive = false
    const wasKilledByKernel = this.#oomWatch.hasSeenKill()
    this.#oomWatch.stop()
    const how = this.isStopping ? undefined : await this.#explain(ending, wasKilledByKernel)
    await this.#engine('rm', '--force', '--volumes', this.name)
    this.#options.containers.removed(this.name)
    return how === undefined ? ending : { ...ending, how }
  }

  /** The client ends with the container's own exit code. */
  async #explain({ code, signal, error }: ProgramEnding, wasKilledByKernel: boolean): Promise<string> {
    const { engine, limits } = this.#options.container
    if (error) return `could not be started: ${engine} ${error.message}`
    if (code !== null && NOT_STARTED.includes(code))
      return `could not be started: ${this.process.lastLines.at(-1) ?? `${engine} refused`}`
    if (code === null) return `lost its ${engine}, which was killed by ${signal}`
    if (code !== SIGKILLED) return `ended with exit code ${code}`
    const wasOutOfMemory =
      wasKilledByKernel ||
      (await this.#engine('inspect', '--format', '{{.State.OOMKilled}}', this.name)) === 'true'
    return wasOutOfMemory
      ? `was killed: out of memory (limit ${limits.memoryMb} MB), exit code ${code}`
      : `was killed by SIGKILL, exit code ${code}`
  }

  async #findProcess(): Promise<void> {
    const pid = Number(await this.#engine('inspect', '--format', '{{.State.Pid}}', this.name))
    if (pid > 0) this.#pid = pid
  }

  async #failed(): Promise<ChildStartError> {
    const { startTimeoutMs } = this.#options
    const why = this.isAlive
      ? `did not answer over HTTP on $PORT (${this.port}) within ${startTimeoutMs / 1000} s`
      : `${describeProgramEnding(await this.ended)} before it answered on $PORT`
    await this.stop()
    return new ChildStartError(`the container ${why}`, this.process.lastLines)
  }

  /** What it said on standard output; empty when it refused. */
  #engine(...args: string[]): Promise<string> {
    const { file, env } = this.#options.container
    const options = { env, timeout: COMMAND_MS, killSignal: 'SIGKILL' as const, cwd: '/' }
    return new Promise(resolve => execFile(file, args, options, (_error, stdout) => resolve(stdout.trim())))
  }

  #readOutput(): void {
    const { onOutput } = this.#options
    const reader = new LineReader({
      maxBytes: MAX_LINE_BYTES,
      onLine: line => onOutput('stdout', line),
      onLongLine: (start, _end, bytes) => onOutput('stdout', `${start}… (${bytes} bytes)`),
    })
    this.process.stdout.on('data', chunk => reader.read(chunk))
    this.process.stdout.on('end', () => reader.end())
    this.process.stdout.on('error', () => {}) // a pipe that breaks tells nothing that the container's end does not
  }
}
