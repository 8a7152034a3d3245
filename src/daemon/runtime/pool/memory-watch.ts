import { readFileSync } from 'node:fs'
import type { LogLine } from '../../../shared/instances/log-line.ts'
import { residentBytes } from '../process/vital-signs.ts'
import type { Instance, InstanceHistory } from './instance.ts'

export interface MemoryWatchOptions {
  /** Memory limit of one instance, including the largest program that it runs. */
  limitBytes: number
  /** Starts an instance that does not take connections yet. */
  startReserve(history: InstanceHistory): Promise<Instance[]>
  /** True while the instance serves and should keep serving. */
  isWanted(instance: Instance): boolean
  /** Makes `next` serve and drains `old`. */
  swap(old: Instance, next: Instance): void
  dismiss(instance: Instance): void
  log(level: LogLine['level'], message: string): void
}

/** Pause between replacements, for a server that always exceeds its limit. */
const PAUSE_MS = 10_000

/**
 * Replaces instances that hold too much memory while they still serve. The limit on resident memory (vital-signs.ts) is higher.
 * A process that exceeds it is killed together with its requests.
 */
export class MemoryWatch {
  readonly #options: MemoryWatchOptions
  #replacing = false
  #replacedAt = Number.NEGATIVE_INFINITY

  constructor(options: MemoryWatchOptions) {
    this.#options = options
  }

  /** Must be called after each report from an instance. An instance without reports hardly grows. */
  check(instances: Instance[], now = performance.now()): void {
    if (this.#replacing || now - this.#replacedAt < PAUSE_MS) return
    for (const instance of instances) {
      const bytes = memoryOf(instance)
      if (bytes > this.#options.limitBytes) return void this.#replace(instance, bytes)
    }
  }

  async #replace(instance: Instance, bytes: number): Promise<void> {
    this.#replacing = true
    const [held, limit] = [bytes, this.#options.limitBytes].map(count => Math.round(count / 1024 / 1024))
    await this.#tryReplace(instance, `was replaced: it used ${held} MB, limit ${limit} MB`)
    this.#replacing = false
    this.#replacedAt = performance.now()
  }

  /** Drains the old instance once the new one serves. The old one stays if the new one does not start. */
  async #tryReplace(old: Instance, reason: string): Promise<void> {
    const { startReserve, isWanted, swap, dismiss, log } = this.#options
    try {
      const [next] = await startReserve({ restarts: old.restarts + 1, lastFailure: reason })
      if (!next) return
      if (!isWanted(old)) return dismiss(next)
      next.isReserve = false
      log('warn', `instance ${old.id} ${reason}`)
      swap(old, next)
    } catch (error) {
      log(
        'error',
        `instance ${old.id} uses too much memory but could not be replaced: ${(error as Error).message}`,
      )
    }
  }
}

function memoryOf({ place: { host } }: Instance): number {
  return Math.max(host.memoryBytes, host.pid === undefined ? 0 : heldBytes(host.pid))
}

/**
 * Resident bytes of a process and the largest program that it started. Adding up all programs would count shared code pages
 * several times. An instance with sixteen sessions of a small program would then exceed any limit and be replaced again and
 * again.
 */
export function heldBytes(pid: number): number {
  return (residentBytes(pid) ?? 0) + Math.max(0, ...childrenOf(pid).map(treeBytes))
}

/** Resident memory of a process and its descendants. 0 on systems without `/proc`. */
function treeBytes(pid: number): number {
  const own = residentBytes(pid) ?? 0
  return childrenOf(pid).reduce((sum, child) => sum + treeBytes(child), own)
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return text === '' ? [] : text.split(' ').map(Number)
  } catch {
    return [] // no such file system, or the process has just exited
  }
}
