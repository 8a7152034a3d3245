import { connect, createServer } from 'node:net'
import { ChildStartError } from '../bridge/process/child-start-error.ts'
import { readOutput } from '../bridge/process/line-reader.ts'
import type { ProcessGuard } from '../bridge/process/process-guard.ts'
import type { CommandLine } from '../bridge/process/program-command.ts'
import { describeEarlyEnding, type ProgramEnding, ProgramProcess } from '../bridge/process/program-process.ts'

export interface HttpChildOptions {
  guard: ProcessGuard
  /** Time from the start until the program accepts connections. */
  startTimeoutMs: number
  onOutput(stream: 'stdout' | 'stderr', line: string): void
  /** Called before the program listens. */
  onStarted?(child: HttpChild): void
}

const PROBE_PAUSE_MS = 30
const MAX_LINE_BYTES = 16 * 1024
/** Closing the program's input has no effect, because the program does not read it. */
const STOP_DELAYS = { requestMs: 0, terminateMs: 1800 }

/** A program that serves HTTP on its own loopback port. */
export class HttpChild {
  readonly process: ProgramProcess
  readonly ended: Promise<ProgramEnding>
  readonly port: number
  isAlive = true
  isStopping = false
  readonly isBusy = false

  private constructor(command: CommandLine, port: number, { guard, onOutput }: HttpChildOptions) {
    this.port = port
    const env = { ...command.env, PORT: String(port), HOST: '127.0.0.1' }
    this.process = new ProgramProcess(
      { ...command, env },
      { guard, delays: STOP_DELAYS, onStderr: line => onOutput('stderr', line) },
    )
    readOutput(this.process.stdout, MAX_LINE_BYTES, line => onOutput('stdout', line))
    this.ended = this.process.ended.then(ending => {
      this.isAlive = false
      return ending
    })
  }

  /** Resolves when the program accepts connections. Otherwise stops the program and rejects with ChildStartError. */
  static async start(command: CommandLine, options: HttpChildOptions): Promise<HttpChild> {
    const child = new HttpChild(command, await findFreePort(), options)
    options.onStarted?.(child)
    const deadline = Date.now() + options.startTimeoutMs
    while (child.isAlive && Date.now() < deadline) {
      if (await accepts(child.port)) return child
      await Promise.race([child.ended, new Promise(resolve => setTimeout(resolve, PROBE_PAUSE_MS))])
    }
    throw await child.#startError(options.startTimeoutMs)
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async stop(): Promise<void> {
    this.isStopping = true
    await this.process.stop()
    await this.ended
  }

  async #startError(startTimeoutMs: number): Promise<ChildStartError> {
    const why = this.isAlive
      ? `did not listen on $PORT (${this.port}) within ${startTimeoutMs / 1000} s`
      : describeEarlyEnding(await this.ended, 'listened on $PORT')
    await this.stop()
    return new ChildStartError(`the program ${why}`, this.process.lastLines)
  }
}

/**
 * Finds a free port outside the ranges for outgoing connections (32768 and above) and for server addresses (12000 to 31999). If
 * another process takes the port first, the program exits and is started on another port.
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS)
    if (await canListen(port)) return port
  }
  throw new ChildStartError(`no port from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} is free`)
}

const FIRST_PORT = 10_000
const PORTS = 2000
const MAX_TRIES = 100

function canListen(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    const settle = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
  })
}
