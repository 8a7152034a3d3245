import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogLine } from '../../../shared/instances/log-line.ts'

/**
 * One file in a deployment's log folder. `<instance>.log` is the active file, and `<instance>.<n>.log` are full segments, oldest
 * first. The active file counts as segment n+1 and gets that number when it is rotated, so a position `{segment, offset}` stays
 * valid across a rotation.
 */
export interface Segment {
  instance: string
  number: number
  path: string
  /** Bytes at the time of listing. */
  size: number
  modifiedMs: number
  active: boolean
}

const SEGMENT_NAME = /^(?<instance>[A-Za-z0-9_-]+)(?:\.(?<number>\d+))?\.log$/

/** Segments by instance, oldest first. Empty when the folder does not exist. */
export async function listSegments(folder: string): Promise<Map<string, Segment[]>> {
  const byInstance = new Map<string, Segment[]>()
  for (const name of await namesIn(folder)) {
    const match = SEGMENT_NAME.exec(name)
    if (!match?.groups) continue
    const path = join(folder, name)
    const status = await stat(path).catch(() => undefined) // removed since readdir
    if (!status) continue
    const { instance, number } = match.groups
    const segments = byInstance.get(instance!) ?? []
    segments.push({
      instance: instance!,
      number: number === undefined ? Number.POSITIVE_INFINITY : Number(number),
      path,
      size: status.size,
      modifiedMs: status.mtimeMs,
      active: number === undefined,
    })
    byInstance.set(instance!, segments)
  }
  for (const segments of byInstance.values()) numberActive(segments)
  return byInstance
}

/**
 * Segments of several deployments. Keys are `<deployment>/<instance>`. A key of one deployment's `listSegments` is only the
 * instance.
 */
export async function listSegmentsOf(
  folders: readonly { id: string; folder: string }[],
): Promise<Map<string, Segment[]>> {
  const all = new Map<string, Segment[]>()
  for (const { id, folder } of folders)
    for (const [instance, segments] of await listSegments(folder)) all.set(`${id}/${instance}`, segments)
  return all
}

/** Members of a log line that its key determines. */
export function originOf(key: string): Pick<LogLine, 'instance' | 'deployment'> {
  const slash = key.indexOf('/')
  return slash < 0 ? { instance: key } : { instance: key.slice(slash + 1), deployment: key.slice(0, slash) }
}

/** Key of the log that a line is from. */
export function keyOf({ instance = '', deployment }: Pick<LogLine, 'instance' | 'deployment'>): string {
  return deployment === undefined ? instance : `${deployment}/${instance}`
}

export function activePath(folder: string, instance: string): string {
  return join(folder, `${instance}.log`)
}

export function rotatedPath(folder: string, instance: string, number: number): string {
  return join(folder, `${instance}.${number}.log`)
}

function numberActive(segments: Segment[]): void {
  segments.sort((a, b) => a.number - b.number)
  const last = segments.at(-1)!
  if (last.active) last.number = (segments.at(-2)?.number ?? 0) + 1
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
