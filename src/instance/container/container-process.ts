import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import type { TenantContainer } from '../../shared/instances/tenant-container.ts'
import type { ProcessGuard } from '../bridge/process/process-guard.ts'
import { totalUse } from '../bridge/process/process-tree.ts'
import { type ProgramEnding, ProgramProcess, type StopDelays } from '../bridge/process/program-process.ts'
import type { RunningProgram } from '../bridge/process/programs.ts'
import type { ContainerGuard } from './container-guard.ts'
import { prepareDataFolder } from './data-folder.ts'
import { OomWatch } from './oom-watch.ts'
import { type ImageSettings, runArguments } from './run-arguments.ts'

export interface ContainerOptions {
  container: TenantContainer
  tenant: Tenant
  /** Settings of an image that the daemon did not build. */
  settings?: ImageSettings | undefined
  /**
   * Folder on this machine that is mounted as the container's DATA_DIR. Without it, only mounts keep what is written.
   */
  data?: string | undefined
  processes: ProcessGuard
  containers: ContainerGuard
}

export interface ContainerChannels {
  /** Loopback port to publish. */
  port?: number
  /** Connects the container's standard input. */
  isInteractive?: boolean
  delays?: StopDelays
  onStderr(line: string): void
}

const COMMAND_MS = 15_000
const SIGKILL_EXIT_CODE = 137
/**
 * Exit codes when the container never ran: https://docs.podman.io/en/latest/markdown/podman-run.1.html#exit-status. docker uses
 * the same.
 */
const NOT_STARTED = [125, 126, 127]

/** A container, and the engine's client process that runs it. */
export class ContainerProcess implements RunningProgram {
  readonly name: string
  /** Resolves when the container is removed. */
  readonly ended: Promise<ProgramEnding>
  isAlive = true
  isStopping = false
  readonly #process: ProgramProcess
  readonly #options: ContainerOptions
  readonly #oomWatch = new OomWatch()
  #pid: number | undefined

  constructor(options: ContainerOptions, { delays, onStderr, ...plan }: ContainerChannels) {
    const { container, tenant, settings, data, processes, containers } = options
    this.#options = options
    if (data !== undefined) prepareDataFolder(data, container)
    this.name = `mcp-${tenant.id.replace(/[^\w.-]/g, '-')}-${randomBytes(4).toString('hex')}`
    const { args, env } = runArguments(container, tenant, { name: this.name, settings, data, ...plan })
    containers.added(this.name)
    this.#process = new ProgramProcess(
      { file: container.file, args, env, cwd: '/' },
      { guard: processes, onStderr, isContainer: true, ...(delays && { delays }) },
    )
    this.ended = this.#watchEnd()
  }

  get stdin(): Writable {
    return this.#process.stdin
  }

  get stdout(): Readable {
    return this.#process.stdout
  }

  adviceFor(failure: string): string | undefined {
    return this.#process.adviceFor(failure)
  }

  get lastLines(): readonly string[] {
    return this.#process.lastLines
  }

  /**
   * Memory of the container's first process. 0 until `findProcess` has found it, or when it runs on another machine, as with
   * Docker Desktop.
   */
  get memoryBytes(): number {
    return this.#pid === undefined ? 0 : totalUse([this.#pid]).bytes
  }

  /** Looks up the container's first process. Must be called when the container is running. */
  async findProcess(): Promise<void> {
    const pid = Number(await this.#engine('inspect', '--format', '{{.State.Pid}}', this.name))
    if (pid > 0) this.#pid = pid
  }

  /** Stops the container. The client forwards SIGTERM. A container that does not stop is removed. */
  async stop(): Promise<void> {
    this.isStopping = true
    await this.#process.stop()
    await this.ended
  }

  async #watchEnd(): Promise<ProgramEnding> {
    const ending = await this.#process.ended
    this.isAlive = false
    const wasKilledByKernel = this.#oomWatch.hasSeenKill()
    this.#oomWatch.stop()
    const reason = this.isStopping ? undefined : await this.#explain(ending, wasKilledByKernel)
    await this.#engine('rm', '--force', '--volumes', this.name)
    this.#options.containers.removed(this.name)
    return { ...ending, ...reason }
  }

  /** Explains why the container stopped. The client exits with the container's exit code. */
  async #explain(
    { code, signal, error }: ProgramEnding,
    wasKilledByKernel: boolean,
  ): Promise<Pick<ProgramEnding, 'error' | 'how'>> {
    const { engine, limits } = this.#options.container
    if (error) return { error: new Error(`${engine} ${error.message}`) }
    if (code !== null && NOT_STARTED.includes(code))
      return { error: new Error(this.lastLines.at(-1) ?? `${engine} refused`) }
    if (code === null) return { how: `stopped because ${engine} was killed by ${signal}` }
    if (code !== SIGKILL_EXIT_CODE) return { how: `exited with code ${code}` }
    const wasOutOfMemory =
      wasKilledByKernel ||
      (await this.#engine('inspect', '--format', '{{.State.OOMKilled}}', this.name)) === 'true'
    return {
      how: wasOutOfMemory
        ? `was killed: out of memory (limit ${limits.memoryMb} MB), exit code ${code}`
        : `was killed by SIGKILL, exit code ${code}`,
    }
  }

  /** Standard output of an engine command, even if the command fails. */
  #engine(...args: string[]): Promise<string> {
    const { file, env } = this.#options.container
    const options = { env, timeout: COMMAND_MS, killSignal: 'SIGKILL' as const, cwd: '/' }
    return new Promise(resolve => execFile(file, args, options, (_error, stdout) => resolve(stdout.trim())))
  }
}
