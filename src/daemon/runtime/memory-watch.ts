import { readFileSync } from 'node:fs'
import type { LogLine } from '../../shared/instance-protocol.ts'
import type { Instance, InstancePast } from './instance.ts'
import { residentBytes } from './vital-signs.ts'

export interface MemoryWatchOptions {
  /** Of one instance, the largest program that it runs included. */
  limitBytes: number
  /** Starts one that takes no connections yet; rejects with the reason when that fails. */
  startReserve(past: InstancePast): Promise<Instance[]>
  /** It still serves, and is to. */
  isWanted(instance: Instance): boolean
  /** From now on `next` serves, and `old` drains. */
  swap(old: Instance, next: Instance): void
  dismiss(instance: Instance): void
  tell(level: LogLine['level'], message: string): void
}

/** What needs more than its limit from the start must not be started without end. */
const PAUSE_MS = 10_000

/**
 * Has instances that hold too much memory replaced while they still serve. The limits of the heap and of the resident memory
 * (vital-signs.ts) are higher: they end a process at once, with what is under way in it.
 */
export class MemoryWatch {
  readonly #options: MemoryWatchOptions
  #replacing = false
  #replacedAt = Number.NEGATIVE_INFINITY

  constructor(options: MemoryWatchOptions) {
    this.#options = options
  }

  /** To be told after each report of an instance: what does nothing grows little. */
  look(instances: Instance[], now = performance.now()): void {
    if (this.#replacing || now - this.#replacedAt < PAUSE_MS) return
    for (const instance of instances) {
      const bytes = memoryOf(instance)
      if (bytes > this.#options.limitBytes) return void this.#replace(instance, bytes)
    }
  }

  async #replace(instance: Instance, bytes: number): Promise<void> {
    this.#replacing = true
    const [held, limit] = [bytes, this.#options.limitBytes].map(count => Math.round(count / 1024 / 1024))
    await this.#tryReplace(instance, `was replaced: it held ${held} MB, limit ${limit} MB`)
    this.#replacing = false
    this.#replacedAt = performance.now()
  }

  /** The new one serves before the old one leaves; when it does not start, the old one stays. */
  async #tryReplace(old: Instance, reason: string): Promise<void> {
    const { startReserve, isWanted, swap, dismiss, tell } = this.#options
    try {
      const [next] = await startReserve({ restarts: old.restarts + 1, lastFailure: reason })
      if (!next) return
      if (!isWanted(old)) return dismiss(next)
      next.isReserve = false
      tell('warn', `instance ${old.id} ${reason}`)
      swap(old, next)
    } catch (error) {
      tell('error', `instance ${old.id} holds too much memory and serves on: ${(error as Error).message}`)
    }
  }
}

function memoryOf({ place: { host } }: Instance): number {
  return Math.max(host.memoryBytes, host.pid === undefined ? 0 : heldBytes(host.pid))
}

/**
 * What a process holds with the largest of the programs that it started, in resident bytes. Not with all of them: sixteen sessions
 * with a small program each would be above any limit, by code that the machine has in memory once, and replaced again and again.
 */
export function heldBytes(pid: number): number {
  return (residentBytes(pid) ?? 0) + Math.max(0, ...childrenOf(pid).map(treeBytes))
}

/** Resident memory of a process and of those that it started; 0 where the system does not tell it. */
function treeBytes(pid: number): number {
  const own = residentBytes(pid) ?? 0
  return childrenOf(pid).reduce((sum, child) => sum + treeBytes(child), own)
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return text === '' ? [] : text.split(' ').map(Number)
  } catch {
    return [] // no such file system, or the process has just ended
  }
}
