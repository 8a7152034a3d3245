import { copyFile, rename, rm, stat, truncate } from 'node:fs/promises'
import type { Supervisor } from '../supervisor.ts'
import { activePath, listSegments, rotatedPath, type Segment } from './log-segments.ts'
import { DAEMON_INSTANCE, type LogStore } from './log-store.ts'

export interface LogLimits extends RetentionLimits {
  /** A larger file is rotated. */
  segmentBytes: number
  /** A file that has been active for longer is rotated. Default: no limit. */
  segmentMs?: number
}

export interface RetentionLimits {
  /** Maximum number of full segments per instance. */
  keptSegments: number
  /** Maximum bytes in full segments per instance. Default: no limit. */
  keptBytes?: number
  /** Maximum number of stopped instances per deployment. */
  keptInstances: number
  /** Older files are removed. Default: no limit. */
  keptMs?: number
}

const DAY_MS = 24 * 3600_000

export const LOG_LIMITS: LogLimits = {
  segmentBytes: 10_000_000,
  segmentMs: DAY_MS,
  keptSegments: 7,
  keptBytes: 100_000_000,
  keptInstances: 20,
  keptMs: 7 * DAY_MS,
}

const CHECK_MS = 60_000
/** Every 60th check, once an hour, also removes old files. */
const CHECKS_PER_PRUNE = 60

/**
 * Rotates log files of running instances, and the daemon's files about their servers, when they are too large or too old. Checks
 * all servers once an hour, including sleeping ones. Every minute, it checks only those that may have written since the last
 * check, because there may be thousands of servers.
 */
export class LogRotator {
  readonly #timer: NodeJS.Timeout
  #busy = Promise.resolve()
  #checks = 0
  #checkedAt = 0

  constructor(supervisor: Supervisor, logs: LogStore, onError: (error: unknown) => void, checkMs = CHECK_MS) {
    this.#timer = setInterval(() => {
      const prune = ++this.#checks % CHECKS_PER_PRUNE === 0
      const since = prune ? 0 : this.#checkedAt
      this.#checkedAt = Date.now()
      this.#busy = this.#busy.then(() => rotateAllWhenDue(supervisor, logs, { prune, since })).catch(onError)
    }, checkMs)
    this.#timer.unref()
  }

  /** Resolves when a running rotation has finished. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#busy
  }
}

async function rotateAllWhenDue(
  supervisor: Supervisor,
  logs: LogStore,
  { prune, since }: { prune: boolean; since: number },
): Promise<void> {
  const running = supervisor.running(since)
  for (const { id, instanceId } of running)
    await rotateWhenDue(logs, id, instanceId, { hold: () => supervisor.holdLog(id, instanceId) })
  const ids = prune ? await logs.ids() : new Set(running.map(({ id }) => id))
  // The daemon may have written about a server that sleeps now.
  for (const id of ids) if (supervisor.has(id)) await rotateWhenDue(logs, id, DAEMON_INSTANCE)
  if (!prune) return
  const instances = new Set(running.map(({ instanceId }) => instanceId))
  for (const id of ids) await pruneLogs(logs, id, { running: instances })
}

/**
 * Copies a file into a full segment and empties it. The instance holds an inherited descriptor in append mode, so the file
 * is kept and the next line is written at its new end. A crash between copy and truncation duplicates lines but does not
 * lose any. `hold` makes the instance stop writing and returns the function that resumes writing.
 */
export async function rotateWhenDue(
  logs: LogStore,
  id: string,
  instance: string,
  {
    hold = async () => () => {},
    limits = LOG_LIMITS,
  }: { hold?: () => Promise<() => void>; limits?: LogLimits } = {},
): Promise<boolean> {
  const folder = logs.folder(id)
  return logs.exclusive(id, async () => {
    if (!(await isDue(folder, instance, limits))) return false
    const resume = await hold()
    try {
      await rotate(folder, instance)
    } finally {
      resume()
    }
    await removeSurplusSegments(folder, limits, new Set([instance]))
    return true
  })
}

/** Removes surplus segments. `running`: instances that still write. */
export async function pruneLogs(
  logs: LogStore,
  id: string,
  {
    limits = LOG_LIMITS,
    running = new Set(),
  }: { limits?: RetentionLimits; running?: ReadonlySet<string> } = {},
): Promise<void> {
  await logs.exclusive(id, () => removeSurplusSegments(logs.folder(id), limits, running))
}

async function rotate(folder: string, instance: string): Promise<void> {
  const active = activePath(folder, instance)
  const segments = (await listSegments(folder)).get(instance) ?? []
  const full = rotatedPath(folder, instance, segments.at(-1)?.number ?? 1)
  await copyFile(active, `${full}.tmp`)
  await rename(`${full}.tmp`, full)
  await truncate(active, 0)
}

/**
 * True for a file that is too large or too old. Age counts from the end of the previous segment, or from the creation of the
 * file.
 */
async function isDue(
  folder: string,
  instance: string,
  { segmentBytes, segmentMs }: LogLimits,
): Promise<boolean> {
  const status = await stat(activePath(folder, instance)).catch(() => undefined) // no line was written yet
  if (!status || status.size === 0) return false
  if (status.size > segmentBytes) return true
  if (segmentMs === undefined || Date.now() - status.birthtimeMs <= segmentMs) return false
  const before = (await listSegments(folder)).get(instance)?.at(-2)
  return Date.now() - (before?.modifiedMs ?? status.birthtimeMs) > segmentMs
}

/** Keeps the logs of the instances that wrote last. For each of them, keeps the newest full segments within the limits. */
async function removeSurplusSegments(
  folder: string,
  limits: RetentionLimits,
  running: ReadonlySet<string>,
): Promise<void> {
  const all = [...(await listSegments(folder))]
  const endedInstances = all.filter(([instance]) => instance !== DAEMON_INSTANCE && !running.has(instance))
  endedInstances.sort(([, a], [, b]) => lastWrite(b) - lastWrite(a))
  const surplus = new Set(endedInstances.slice(limits.keptInstances).map(([instance]) => instance))
  const oldest = limits.keptMs === undefined ? Number.NEGATIVE_INFINITY : Date.now() - limits.keptMs
  for (const [instance, segments] of all) {
    const isOld = !running.has(instance) && lastWrite(segments) < oldest
    if (surplus.has(instance) || isOld) for (const { path } of segments) await rm(path, { force: true })
    else await removeOld(segments, limits, oldest)
  }
}

/** Empties the newest full segment instead of removing it, because its number determines the number of the active file. */
async function removeOld(
  segments: readonly Segment[],
  { keptSegments, keptBytes = Number.POSITIVE_INFINITY }: RetentionLimits,
  oldest: number,
): Promise<void> {
  const full = segments.filter(segment => !segment.active)
  const newest = full.at(-1)
  let bytes = 0
  for (const [age, segment] of full.toReversed().entries()) {
    bytes += segment.size
    const isSurplus = age >= keptSegments || bytes > keptBytes || segment.modifiedMs < oldest
    if (!isSurplus) continue
    if (segment !== newest) await rm(segment.path, { force: true })
    else if (segment.size > 0) await truncate(segment.path, 0)
  }
}

function lastWrite(segments: readonly Segment[]): number {
  return Math.max(...segments.map(segment => segment.modifiedMs))
}
