import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchDaemon, mcp } from '../daemon.ts'
import { HttpLane } from './http-client.ts'
import type { Ledger } from './ledger.ts'
import { callModern } from './requests.ts'
import type { Rests } from './rests.ts'
import type { Target } from './servers.ts'

/** Lines of two instances may arrive out of order, so a follower that resumes at the last line could miss some. */
const OVERLAP_MS = 5000
/** An instance writes its lines every tenth of a second. A SIGKILL loses unwritten lines. */
const FLUSH_MS = 300
const CATCH_UP_MS = 15_000

export interface WitnessOptions {
  daemon: BenchDaemon
  target: Target
  ledger: Ledger
  rests: Rests
}

/** Calls a tool that prints a number, and follows the log. Every answered number must appear. */
export class Witness {
  readonly #options: WitnessOptions
  /** Time of each answer, from `performance.now()`. */
  readonly #answered = new Map<number, number>()
  readonly #seen = new Set<number>()
  #killedAt: number[] = []
  #follower: ChildProcess | undefined
  #last = new Date().toISOString()
  #stopped = false

  constructor(options: WitnessOptions) {
    this.#options = options
  }

  /** Resolves after the last call, when its line has arrived or is overdue. */
  async run(stopping: AbortSignal, pauseMs: number): Promise<void> {
    const { target, ledger, rests } = this.#options
    this.#follow()
    const lane = new HttpLane()
    for (let number = 1; !stopping.aborted; number++) {
      const call = () => callModern(lane, target.url, `witness ${number}`)
      const isAnswered = await ledger.attempt(target.name, () => call().then(() => true))
      if (isAnswered) this.#answered.set(number, performance.now())
      await sleep(pauseMs)
      await rests.over
    }
    lane.close()
    const end = performance.now() + CATCH_UP_MS
    while (this.#missing().length > 0 && performance.now() < end) await sleep(100)
    this.#stopped = true
    this.#follower?.kill()
  }

  /** Must be called when an instance of the target is killed. */
  killed(): void {
    this.#killedAt.push(performance.now())
  }

  /**
   * `lost`: numbers of answered calls whose line is missing. `withInstance`: number of missing lines whose instance was killed
   * right after the answer.
   */
  report(): { answered: number; lost: number[]; withInstance: number } {
    const missing = this.#missing()
    const lost = missing.filter(number => !this.#wasKilledAfter(this.#answered.get(number)!))
    return { answered: this.#answered.size, lost, withInstance: missing.length - lost.length }
  }

  #missing(): number[] {
    return [...this.#answered.keys()].filter(number => !this.#seen.has(number))
  }

  #wasKilledAfter(answeredAt: number): boolean {
    return this.#killedAt.some(at => at >= answeredAt - 50 && at <= answeredAt + FLUSH_MS)
  }

  /** Follows the log. Resumes after a restart of the daemon. */
  #follow(): void {
    if (this.#stopped) return
    const { daemon, target, ledger } = this.#options
    const since = new Date(Date.parse(this.#last) - OVERLAP_MS).toISOString()
    const args = [mcp, 'logs', '-f', target.deploymentId, '--json', '--since', since]
    const child = spawn(process.execPath, args, {
      env: daemon.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    this.#follower = child
    createInterface(child.stdout).on('line', line => this.#read(line))
    child.on('close', () => {
      if (this.#stopped) return
      ledger.note('restarts of `mcp logs -f`')
      setTimeout(() => this.#follow(), 500)
    })
  }

  #read(line: string): void {
    const { timestamp, message } = JSON.parse(line) as { timestamp: string; message: string }
    if (timestamp > this.#last) this.#last = timestamp
    const number = /^witness (\d+)$/.exec(message)?.[1]
    if (number !== undefined) this.#seen.add(Number(number))
  }
}
