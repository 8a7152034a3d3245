import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchDaemon, mcp } from '../daemon.ts'
import { HttpLane } from './http-client.ts'
import type { Ledger } from './ledger.ts'
import { callModern } from './requests.ts'
import type { Rests } from './rests.ts'
import type { Target } from './servers.ts'

/** Lines of two instances may come out of order: whoever begins again at the last one misses others. */
const OVERLAP_MS = 5000
/** An instance writes its lines every tenth of a second; what a SIGKILL leaves no time for is lost with it. */
const FLUSH_MS = 300
const CATCH_UP_MS = 15_000

export interface WitnessOptions {
  daemon: BenchDaemon
  target: Target
  ledger: Ledger
  rests: Rests
}

/** Calls a tool that prints a number, and follows the log: each number that was answered has to come. */
export class Witness {
  readonly #options: WitnessOptions
  /** When each was answered, of `performance.now()`. */
  readonly #answered = new Map<number, number>()
  readonly #seen = new Set<number>()
  #killedAt: number[] = []
  #follower: ChildProcess | undefined
  #last = new Date().toISOString()
  #stopped = false

  constructor(options: WitnessOptions) {
    this.#options = options
  }

  /** Resolves when nothing more is called and every line had time to come. */
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

  /** One of its instances was killed just now. */
  killed(): void {
    this.#killedAt.push(performance.now())
  }

  /** Lines of answered calls that never came; `withInstance`: in the moment of whose answer the instance was killed. */
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

  /** A follower that ends, because its daemon did, goes on where it was. */
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
      ledger.note('times that following the log had to begin again')
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
