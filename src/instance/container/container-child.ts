import { request } from 'undici'
import type { TenantContainer } from '../../shared/instances/tenant-container.ts'
import { ChildStartError } from '../bridge/process/child-start-error.ts'
import { readOutput } from '../bridge/process/line-reader.ts'
import { describeEarlyEnding, type ProgramEnding } from '../bridge/process/program-process.ts'
import { findFreePort } from '../proxy/http-child.ts'
import { type ContainerOptions, ContainerProcess } from './container-process.ts'

export interface ContainerChildOptions extends ContainerOptions {
  /** Time from the start until the first answer over HTTP. */
  startTimeoutMs: number
  onOutput(stream: 'stdout' | 'stderr', line: string): void
  /** Called before the container listens. */
  onStarted?(child: ContainerChild): void
}

const PROBE_PAUSE_MS = 30
const PROBE_MS = 2000
const MAX_LINE_BYTES = 256 * 1024
/** Closing the container's input has no effect, because the input is not connected. */
const STOP_DELAYS = { requestMs: 0, terminateMs: 1500 }

/** A container that serves HTTP on its own loopback port. */
export class ContainerChild {
  readonly process: ContainerProcess
  readonly port: number
  readonly isBusy = false
  readonly #options: ContainerChildOptions

  private constructor(port: number, options: ContainerChildOptions) {
    this.#options = options
    this.port = port
    this.process = new ContainerProcess(options, {
      port,
      delays: STOP_DELAYS,
      onStderr: line => options.onOutput('stderr', line),
    })
    readOutput(this.process.stdout, MAX_LINE_BYTES, line => options.onOutput('stdout', line))
  }

  /** Resolves when the container answers an HTTP request. Otherwise stops the container and rejects with ChildStartError. */
  static async start(options: ContainerChildOptions): Promise<ContainerChild> {
    const child = new ContainerChild(await findFreePort(), options)
    options.onStarted?.(child)
    const { startTimeoutMs, container } = options
    if (!(await answersHttp(child.process, child.origin, startTimeoutMs, container)))
      throw await child.#startError()
    void child.process.findProcess()
    return child
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get isAlive(): boolean {
    return this.process.isAlive
  }

  get isStopping(): boolean {
    return this.process.isStopping
  }

  get ended(): Promise<ProgramEnding> {
    return this.process.ended
  }

  get memoryBytes(): number {
    return this.process.memoryBytes
  }

  answers(): Promise<boolean> {
    return isAnswering(this.origin, this.#options.container)
  }

  stop(): Promise<void> {
    return this.process.stop()
  }

  async #startError(): Promise<ChildStartError> {
    const { startTimeoutMs } = this.#options
    const why = this.isAlive
      ? `did not answer over HTTP on $PORT (${this.port}) within ${startTimeoutMs / 1000} s`
      : describeEarlyEnding(await this.ended, 'answered on $PORT')
    await this.stop()
    return new ChildStartError(`the container ${why}`, this.process.lastLines)
  }
}

/** Resolves with true when the container answers a request at `origin`, and with false when it stops or the time is up. */
export async function answersHttp(
  process: Pick<ContainerProcess, 'isAlive' | 'ended'>,
  origin: string,
  timeoutMs: number,
  container: Pick<TenantContainer, 'isOwn'>,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (process.isAlive && Date.now() < deadline) {
    if (await isAnswering(origin, container)) return true
    await Promise.race([process.ended, new Promise(resolve => setTimeout(resolve, PROBE_PAUSE_MS))])
  }
  return false
}

/**
 * True when a request is answered. A connection is not enough, because the engine's proxy accepts before the server does. Our own
 * image answers with an error until its program has started.
 */
async function isAnswering(origin: string, { isOwn }: Pick<TenantContainer, 'isOwn'>): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS)
    const { body, statusCode } = await request(`${origin}/health`, { signal, reset: true })
    await body.dump()
    return !isOwn || statusCode < 500
  } catch {
    return false
  }
}
