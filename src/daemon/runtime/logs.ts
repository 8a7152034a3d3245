import { type FSWatcher, watch } from 'node:fs'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostingError } from '../../shared/errors.ts'
import type { LogLine } from '../../shared/instance-protocol.ts'
import { type LogFilter, matchesFilter } from './log-filter.ts'
import { type LogPosition, LogReader } from './log-reader.ts'
import { type LogLimits, removeSurplusSegments, rotateInstanceLog } from './log-rotation.ts'
import { activePath, listSegments } from './log-segments.ts'
import { readTail } from './log-tail.ts'

/** Instances write each for itself: what they write at about the same time is read together. */
const GATHER_MS = 50

export interface LogQuery extends LogFilter {
  /** Lines at most, 1..10000. */
  limit: number
  /** Continues an earlier page. */
  nextToken?: string
  /** Only the last so many matching lines; not together with `nextToken`. */
  tail?: number
}

/** `token` leads to what comes after it. */
export interface FollowedLine {
  line: LogLine
  token: string | undefined
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

/** Instances in the token of each line. */
const MOST_NAMED = 32

/** The file (without `.log`) that takes what the daemon itself says about a deployment. */
const DAEMON_INSTANCE = 'daemon'

/**
 * The log lines of deployments and previews: one folder each under `logsDir`, one file an instance, written by the
 * instances themselves. Reading merges them by time.
 */
export class LogStore {
  readonly #logsDir: string
  readonly #locks = new Map<string, Promise<unknown>>()

  constructor(logsDir: string) {
    this.#logsDir = logsDir
  }

  /** Adds a line of the daemon's own, such as "crashed with SIGSEGV, restarting in 2 s". */
  append(id: string, line: LogLine): Promise<void> {
    return this.#exclusive(id, () => this.#append(id, line))
  }

  /** One page, oldest line first. `nextToken` is null when there is nothing more at this moment. */
  async page(id: string, query: LogQuery): Promise<{ lines: LogLine[]; nextToken: string | null }> {
    if (query.tail !== undefined)
      return { lines: (await this.#tail(id, query, query.tail)).lines, nextToken: null }
    const { lines, position, more } = await this.#read(id, decodeToken(query.nextToken), query, query.limit)
    return { lines, nextToken: more ? encodeToken(position) : null }
  }

  /**
   * All matching lines from now on, until the signal aborts. `tail` gives some older ones first, `since` all since then, and
   * `after` goes on where an earlier call was left, by the token of the last line that it gave.
   */
  async *follow(
    id: string,
    { tail, after, signal, ...filter }: LogFilter & { tail?: number; after?: string; signal: AbortSignal },
  ): AsyncGenerator<FollowedLine> {
    const folder = this.folder(id)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    let position: LogPosition
    if (after !== undefined) position = decodeToken(after)
    else if (tail) {
      const older = await this.#tail(id, filter, tail)
      position = older.position
      // Whoever is cut off before the last of them gets all of them again.
      const last = older.lines.at(-1)
      for (const line of older.lines) yield { line, token: line === last ? encodeToken(position) : undefined }
    } else position = filter.since === undefined ? await this.#endPosition(id) : {}
    using changes = new FolderChanges(folder, signal)
    while (!signal.aborted) {
      changes.forget()
      const tokens: (string | undefined)[] = []
      const page = await this.#read(id, position, filter, 1000, at => tokens.push(shortToken(at)))
      position = page.position
      tokens.splice(-1, 1, encodeToken(position))
      for (const [index, line] of page.lines.entries()) yield { line, token: tokens[index] }
      if (page.more) continue
      await changes.next()
      await sleep(GATHER_MS, undefined, { signal }).catch(() => {}) // aborted
    }
  }

  /**
   * Rotates the file of an instance when it has grown too large or too old. `hold` makes the instance stop writing and gives the
   * function that lets it go on, so that no line falls between copy and truncation.
   */
  async rotateWhenDue(
    id: string,
    instance: string,
    hold: () => Promise<() => void>,
    limits: LogLimits = LOG_LIMITS,
  ): Promise<boolean> {
    const folder = this.folder(id)
    return this.#exclusive(id, async () => {
      const rotated = await rotateInstanceLog(folder, instance, limits, hold)
      if (rotated) await removeSurplusSegments(folder, limits, new Set([instance]))
      return rotated
    })
  }

  /** The same for the daemon's own lines, which wait by themselves. */
  rotateOwnWhenDue(id: string, limits?: Parameters<LogStore['rotateWhenDue']>[3]): Promise<boolean> {
    return this.rotateWhenDue(id, DAEMON_INSTANCE, async () => () => {}, limits)
  }

  /** Forgets what is too old or too much. `running`: instances that still write. */
  async prune(
    id: string,
    limits: Omit<LogLimits, 'segmentBytes' | 'segmentMs'> = LOG_LIMITS,
    running: ReadonlySet<string> = new Set(),
  ): Promise<void> {
    const all = { segmentBytes: Number.POSITIVE_INFINITY, ...limits }
    await this.#exclusive(id, () => removeSurplusSegments(this.folder(id), all, running))
  }

  /** Instances that have a log file, those of ended instances too. */
  async instances(id: string): Promise<string[]> {
    return [...(await listSegments(this.folder(id))).keys()]
  }

  /** Deployments and builds that have a log, those that are gone too. */
  async ids(): Promise<string[]> {
    const names = await readdir(this.#logsDir)
    return names.filter(name => /^(dep|mcp|bld)_/.test(name))
  }

  folder(id: string): string {
    return join(this.#logsDir, id)
  }

  /** Lines that are about to be written come before, and make no folder anew. */
  async remove(id: string): Promise<void> {
    await this.#exclusive(id, () => rm(this.folder(id), { recursive: true, force: true }))
  }

  async #append(id: string, line: LogLine): Promise<void> {
    const folder = this.folder(id)
    const write = () => appendWhole(activePath(folder, DAEMON_INSTANCE), `${JSON.stringify(line)}\n`)
    try {
      await write()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await write()
    }
  }

  async #read(
    id: string,
    from: LogPosition,
    filter: LogFilter,
    limit: number,
    onLine?: (position: LogPosition) => void,
  ) {
    return this.#exclusive(id, async () => {
      const reader = await LogReader.open(this.folder(id), from)
      const lines: LogLine[] = []
      try {
        for (let line = await reader.next(); line; line = await reader.next()) {
          if (matchesFilter(line, filter)) {
            lines.push(line)
            onLine?.(reader.position)
          }
          if (lines.length === limit) return { lines, position: reader.position, more: true }
        }
        return { lines, position: reader.position, more: false }
      } finally {
        await reader.close()
      }
    })
  }

  #tail(id: string, filter: LogFilter, count: number): Promise<{ lines: LogLine[]; position: LogPosition }> {
    return this.#exclusive(id, () => readTail(this.folder(id), filter, count))
  }

  async #endPosition(id: string): Promise<LogPosition> {
    const position: LogPosition = {}
    for (const [instance, segments] of await listSegments(this.folder(id))) {
      const last = segments.at(-1)!
      position[instance] = { segment: last.number, offset: last.size }
    }
    return position
  }

  /** Reading and rotating one deployment's files take turns: a position must not be read while its file moves. */
  async #exclusive<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#locks.get(id) ?? Promise.resolve()
    const run = before.then(work, work)
    this.#locks.set(id, run)
    try {
      return await run
    } finally {
      if (this.#locks.get(id) === run) this.#locks.delete(id)
    }
  }
}

/** A line whose middle met the end of a full disk is taken back, or the next one would be read as its rest. */
async function appendWhole(path: string, text: string): Promise<void> {
  const file = await open(path, 'a', 0o600)
  const { size } = await file.stat()
  try {
    await file.appendFile(text)
  } catch (error) {
    await file.truncate(size)
    throw error
  } finally {
    await file.close()
  }
}

/** Where very many instances wrote, the last line of those that are read at once has to do. */
function shortToken(position: LogPosition): string | undefined {
  return Object.keys(position).length <= MOST_NAMED ? encodeToken(position) : undefined
}

function encodeToken(position: LogPosition): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** Throws INVALID_REQUEST for what is no token of ours. */
export function decodeToken(token: string | undefined): LogPosition {
  if (token === undefined) return {}
  try {
    const position = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
    for (const { segment, offset } of Object.values<{ segment: unknown; offset: unknown }>(position)) {
      if (!Number.isSafeInteger(segment) || !Number.isSafeInteger(offset) || Number(offset) < 0)
        throw new Error('not a position')
    }
    return position
  } catch (cause) {
    throw new HostingError(
      'INVALID_REQUEST',
      `nextToken "${token.slice(0, 40)}" is not one that a log page gave.`,
      { cause },
    )
  }
}

/**
 * Tells of changes in a folder since the last `forget()`, so that a line written while the last one was read is not
 * waited for. It also wakes once a second, because inotify misses network file systems, and at the abort.
 */
class FolderChanges implements Disposable {
  #changed = Promise.withResolvers<void>()
  readonly #watcher: FSWatcher
  readonly #timer: NodeJS.Timeout

  constructor(folder: string, signal: AbortSignal) {
    const tell = () => this.#changed.resolve()
    this.#watcher = watch(folder, tell).on('error', tell)
    this.#timer = setInterval(tell, 1000)
    signal.addEventListener('abort', tell, { once: true })
  }

  forget(): void {
    this.#changed = Promise.withResolvers()
  }

  next(): Promise<void> {
    return this.#changed.promise
  }

  [Symbol.dispose](): void {
    this.#watcher.close()
    clearInterval(this.#timer)
  }
}
