import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { request } from 'undici'
import type { Tenant, TenantContainer } from '../../shared/instances/instance-protocol.ts'
import { ChildStartError } from '../bridge/process/child-start-error.ts'
import { readOutput } from '../bridge/process/line-reader.ts'
import type { ProcessGuard } from '../bridge/process/process-guard.ts'
import {
  describeProgramEnding,
  type ProgramEnding,
  ProgramProcess,
} from '../bridge/process/program-process.ts'
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
  /** Time from the start until the first answer over HTTP. */
  startTimeoutMs: number
  onOutput(stream: 'stdout' | 'stderr', line: string): void
  /** Called before it listens. */
  onStarted?(child: ContainerChild): void
}

const PROBE_PAUSE_MS = 30
const PROBE_MS = 2000
const COMMAND_MS = 15_000
const MAX_LINE_BYTES = 256 * 1024
/** The client forwards SIGTERM. A container that does not stop is removed. */
const STOP_DELAYS = { politeMs: 0, terminateMs: 1500 }
const SIGKILLED = 137
/**
 * Exit codes when the container never ran: https://docs.podman.io/en/latest/markdown/podman-run.1.html#exit-status, same for
 * docker.
 */
const NOT_STARTED = [125, 126, 127]

/** A container that serves HTTP on its own loopback port, and the engine's client process that runs it. */
export class ContainerChild {
  readonly name: string
  readonly process: ProgramProcess
  /** Resolves when the container is removed. */
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
    readOutput(this.process.stdout, MAX_LINE_BYTES, line => options.onOutput('stdout', line))
    this.ended = this.#watchEnd()
  }

  /** Resolves when it answers any HTTP request. Rejects with ChildStartError after it has stopped. */
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

  /** True when a request is answered. A connection is not enough, because the engine's proxy accepts before the server does. */
  async answers(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(PROBE_MS)
      const { body } = await request(`${this.origin}/health`, { signal, reset: true })
      await body.dump()
      return true
    } catch {
      return false
    }
  }

  /** Memory of its first process. */
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

  /** The client exits with the container's exit code. */
  async #explain({ code, signal, error }: ProgramEnding, wasKilledByKernel: boolean): Promise<string> {
    const { engine, limits } = this.#options.container
    if (error) return `could not be started: ${engine} ${error.message}`
    if (code !== null && NOT_STARTED.includes(code))
      return `could not be started: ${this.process.lastLines.at(-1) ?? `${engine} refused`}`
    if (code === null) return `stopped because ${engine} was killed by ${signal}`
    if (code !== SIGKILLED) return `exited with code ${code}`
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

  /** Standard output of an engine command. Empty when the command fails. */
  #engine(...args: string[]): Promise<string> {
    const { file, env } = this.#options.container
    const options = { env, timeout: COMMAND_MS, killSignal: 'SIGKILL' as const, cwd: '/' }
    return new Promise(resolve => execFile(file, args, options, (_error, stdout) => resolve(stdout.trim())))
  }
}
