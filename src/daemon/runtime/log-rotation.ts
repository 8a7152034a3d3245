import { copyFile, rename, rm, stat, truncate } from 'node:fs/promises'
import { activePath, listSegments, rotatedPath, type Segment } from './log-segments.ts'

export interface LogLimits {
  /** A file that is larger is rotated … */
  segmentBytes: number
  /** … and one whose first line is older; none is for its age alone when absent. */
  segmentMs?: number
  /** Full segments of one instance. */
  keptSegments: number
  /** Bytes of these; no limit when absent. */
  keptBytes?: number
  /** Instances of one deployment. */
  keptInstances: number
  /** What was last written before is forgotten; nothing is for its age alone when absent. */
  keptMs?: number
}

/** The file that the daemon writes; it belongs to no instance that ends. */
const LASTING = 'daemon'

/**
 * Copies the file being written into a full segment and empties it. The instance holds an inherited descriptor, so the
 * file itself must stay; opened in append mode, the next line lands at the new end. A crash between the two steps
 * shows lines twice, never not at all.
 */
export async function rotateInstanceLog(
  folder: string,
  instance: string,
  limits: LogLimits,
  hold: () => Promise<() => void>,
): Promise<boolean> {
  const active = activePath(folder, instance)
  if (!(await isDue(folder, instance, limits))) return false
  const release = await hold()
  try {
    const segments = (await listSegments(folder)).get(instance) ?? []
    const full = rotatedPath(folder, instance, segments.at(-1)?.number ?? 1)
    await copyFile(active, `${full}.tmp`)
    await rename(`${full}.tmp`, full)
    await truncate(active, 0)
    return true
  } finally {
    release()
  }
}

/** Too large, or begun too long ago: when the segment before it was filled, or when the file was made. */
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

/**
 * Keeps the newest full segments of each instance and the logs of the instances that wrote last, and of them what is not
 * too old. `running`: instances that still write.
 */
export async function removeSurplusSegments(
  folder: string,
  limits: LogLimits,
  running: ReadonlySet<string> = new Set(),
): Promise<void> {
  const all = [...(await listSegments(folder))]
  const mayEnd = all.filter(([instance]) => instance !== LASTING && !running.has(instance))
  mayEnd.sort(([, a], [, b]) => lastWrite(b) - lastWrite(a))
  const ended = new Set(mayEnd.slice(limits.keptInstances).map(([instance]) => instance))
  const limit = limits.keptMs === undefined ? Number.NEGATIVE_INFINITY : Date.now() - limits.keptMs
  for (const [instance, segments] of all) {
    const isOver = ended.has(instance) || (!running.has(instance) && lastWrite(segments) < limit)
    if (isOver) for (const { path } of segments) await rm(path, { force: true })
    else await removeOld(segments, limits, limit)
  }
}

/** The newest full one is emptied, not removed: by its name the file being written has its number, which positions hold. */
async function removeOld(
  segments: readonly Segment[],
  { keptSegments, keptBytes = Number.POSITIVE_INFINITY }: LogLimits,
  limit: number,
): Promise<void> {
  const full = segments.filter(segment => !segment.active)
  const newest = full.at(-1)
  let bytes = 0
  for (const [age, segment] of full.toReversed().entries()) {
    bytes += segment.size
    const isSurplus = age >= keptSegments || bytes > keptBytes || segment.modifiedMs < limit
    if (!isSurplus) continue
    if (segment !== newest) await rm(segment.path, { force: true })
    else if (segment.size > 0) await truncate(segment.path, 0)
  }
}

function lastWrite(segments: readonly Segment[]): number {
  return Math.max(...segments.map(segment => segment.modifiedMs))
}
