import { copyFile, rename, rm, stat, truncate } from 'node:fs/promises'
import { activePath, listSegments, rotatedPath, type Segment } from './log-segments.ts'

/**
 * Copies the file being written into a full segment and empties it. The instance holds an inherited descriptor, so the
 * file itself must stay; opened in append mode, the next line lands at the new end. A crash between the two steps
 * shows lines twice, never not at all.
 */
export async function rotateInstanceLog(
  folder: string,
  instance: string,
  segmentBytes: number,
  hold: () => Promise<() => void>,
): Promise<boolean> {
  const active = activePath(folder, instance)
  const status = await stat(active).catch(() => undefined) // no line was written yet
  if (!status || status.size <= segmentBytes) return false
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

/** Keeps the newest full segments of each instance and the logs of the instances that wrote last. */
export async function removeSurplusSegments(
  folder: string,
  limits: { keptSegments: number; keptInstances: number },
): Promise<void> {
  const byInstance = [...(await listSegments(folder)).values()]
  byInstance.sort((a, b) => lastWrite(b) - lastWrite(a))
  const surplus = byInstance.flatMap((segments, index) =>
    index < limits.keptInstances
      ? segments.filter(segment => !segment.active).slice(0, -limits.keptSegments)
      : segments,
  )
  await Promise.all(surplus.map(segment => rm(segment.path, { force: true })))
}

function lastWrite(segments: Segment[]): number {
  return Math.max(...segments.map(segment => segment.modifiedMs))
}
