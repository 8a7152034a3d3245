import type { BenchDaemon } from '../daemon.ts'
import { descendantsOf, type ProcessId, type Usage, usageOf } from '../processes.ts'
import type { Target } from './servers.ts'
import type { Point, Series } from './verdict.ts'

const MAY_GROW: Record<keyof Usage, number> = {
  residentMb: 8,
  proportionalMb: 8,
  descriptors: 4,
  threads: 1,
}
/** Limit for short runs, in which a process still compiles and fills its caches. Such runs only detect fast leaks. */
const WARMING_MB = 24
/** The same limit for instances: twice the observed growth. A leak of 2 KB per request would be 22 MB in ten minutes. */
const INSTANCE_WARMING_MB = 14
/** Limits per instance. An instance does less than the daemon, and there are many of them. */
const INSTANCE_MAY_GROW: Partial<Record<keyof Usage, number>> = { residentMb: 5, proportionalMb: 5 }

export interface Sample {
  at: number
  daemon: Usage
  /** Number, memory and descriptors of all processes below the daemon. */
  processes: number
  processesMb: number
  processDescriptors: number
}

/** Fields of a deployment that the benchmark reads. */
interface ListedDeployment {
  deployment_id: string
  instances: { pid: number | null; state: string; uptimeSeconds: number }[]
}

interface Page {
  items: ListedDeployment[]
  next_cursor: string | null
}

export interface Running {
  deploymentId: string
  pid: number
  uptimeSeconds: number
}

/** Samples the daemon and its processes. Long-lived processes are sampled one by one. */
export class Samples {
  readonly all: Sample[] = []
  /** All processes that ever ran below the daemon. */
  readonly seen = new Map<string, ProcessId>()
  readonly #daemon: BenchDaemon
  readonly #targets: Target[]
  readonly #series = new Map<string, Point[]>()
  readonly #restedAt = new Set<number>()

  constructor(daemon: BenchDaemon, targets: Target[]) {
    this.#daemon = daemon
    this.#targets = targets
  }

  async take(at: number): Promise<void> {
    const { pid } = this.#daemon
    const usage = usageOf(pid)
    const known = await this.#knownProcesses().catch(() => undefined)
    if (!usage || known === undefined) return // the daemon is being restarted
    const processes = this.remember()
    const usages = processes.flatMap(({ pid }) => usageOf(pid) ?? [])
    this.all.push({
      at,
      daemon: usage,
      processes: usages.length,
      processesMb: sum(usages, 'proportionalMb'),
      processDescriptors: sum(usages, 'descriptors'),
    })
    // Each instance has a channel. Channels of known instances are subtracted, so that only channels of others count as growth.
    const descriptors = usage.descriptors - known
    this.#add(`daemon|${pid}`, at, { ...usage, descriptors })
    for (const [name, pid] of await this.#longLivedProcesses()) {
      const own = usageOf(pid)
      if (own) this.#add(`${name}|${pid}`, at, own)
    }
  }

  /** Samples during a rest. */
  takeAtRest(at: number): Promise<void> {
    this.#restedAt.add(at)
    return this.take(at)
  }

  /** Returns the running processes, and records them so that orphans can be found later. */
  remember(): ProcessId[] {
    const processes = descendantsOf(this.#daemon.pid)
    for (const one of processes) this.seen.set(`${one.pid} ${one.startedAt}`, one)
    return processes
  }

  /**
   * Series since this time, one per process and quantity. Memory is sampled at rest, or under load if the run was too short for
   * rests. Other quantities are always sampled under load.
   */
  seriesFrom(from: number): Series[] {
    const hasRested = this.#restedAt.size > 0
    return [...this.#series].flatMap(([key, points]) => {
      const [process, , field] = key.split('|') as [string, string, keyof Usage]
      const isDaemon = process === 'daemon'
      const whenWarm = (!isDaemon && INSTANCE_MAY_GROW[field]) || MAY_GROW[field]
      const isMemory = field === 'residentMb' || field === 'proportionalMb'
      const mayGrow = isMemory && !hasRested ? (isDaemon ? WARMING_MB : INSTANCE_WARMING_MB) : whenWarm
      return {
        name: `${process}, ${LABELS[field]}`,
        unit: isMemory ? 'MB' : '',
        mayGrow,
        summary: isMemory ? 'least' : 'median',
        points: points.filter(({ at }) => at >= from && (isMemory && hasRested) === this.#restedAt.has(at)),
      } as const
    })
  }

  async running(): Promise<Running[]> {
    const items = await this.#deployments('&status=deployed')
    return items.flatMap(({ deployment_id, instances }) =>
      instances.flatMap(({ pid, state, uptimeSeconds }) =>
        pid !== null && state === 'ready' ? [{ deploymentId: deployment_id, pid, uptimeSeconds }] : [],
      ),
    )
  }

  /** Number of instance processes of all deployments, including earlier releases that still serve their sessions. */
  async #knownProcesses(): Promise<number> {
    const items = await this.#deployments('')
    const pids = items.flatMap(({ instances }) => instances.map(({ pid }) => pid))
    return new Set(pids.filter(pid => pid !== null)).size
  }

  /**
   * Reads all pages, because a release from half an hour ago may still have sessions, and more than a hundred releases may have
   * followed.
   */
  async #deployments(query: string): Promise<ListedDeployment[]> {
    const all: ListedDeployment[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const from: string = cursor && `&cursor=${encodeURIComponent(cursor)}`
      const path = `/v1/deploy?limit=100${query}${from}`
      const page: Page = await this.#daemon.call<Page>('GET', path)
      all.push(...page.items)
      cursor = page.next_cursor
    }
    return all
  }

  /** The steady instances, and the process that several declared servers share. */
  async #longLivedProcesses(): Promise<Map<string, number>> {
    const running = await this.running().catch(() => []) // the daemon is being restarted
    const found = new Map<string, number>()
    for (const { name, kind, environment, isSteady, deploymentId } of this.#targets) {
      const pid = running.find(one => one.deploymentId === deploymentId)?.pid
      if (pid === undefined) continue
      if (isSteady) found.set(`instance ${name}`, pid)
      else if (kind === 'declared' && environment === 'staging') found.set('shared process', pid)
    }
    return found
  }

  #add(key: string, at: number, usage: Usage): void {
    for (const [field, value] of Object.entries(usage)) {
      const points = this.#series.get(`${key}|${field}`) ?? []
      points.push({ at, value })
      this.#series.set(`${key}|${field}`, points)
    }
  }
}

const LABELS: Record<keyof Usage, string> = {
  residentMb: 'resident',
  proportionalMb: 'proportional',
  descriptors: 'descriptors',
  threads: 'threads',
}

function sum(usages: Usage[], field: keyof Usage): number {
  return usages.reduce((total, usage) => total + usage[field], 0)
}
