import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LinePosition, LogLine } from '../../../shared/instances/log-line.ts'
import { KeyedQueue } from '../../../shared/keyed-queue.ts'
import { FolderChanges } from './folder-changes.ts'
import { readTail } from './last-lines.ts'
import { type LogFilter, matchesFilter } from './log-filter.ts'
import { type LogPosition, LogReader } from './log-reader.ts'
import { activePath, listSegments, listSegmentsOf, originOf, type Segment } from './log-segments.ts'
import { decodeOlderThan, decodeToken, encodeBounded, encodeToken } from './log-tokens.ts'

/** Delay before new lines are read, so that lines that several instances write at about the same time are read together. */
const GATHER_MS = 50

export interface LogQuery extends LogFilter {
  /** Maximum number of lines, 1 to 10000. */
  limit: number
  /** Continues an earlier page. */
  nextToken?: string
  /** Number of matching lines to return from the end. `limit` and `nextToken` are then ignored. */
  tail?: number
}

/** `token` continues after this line. Undefined for most lines of `tail`, and when the token would be too long. */
export interface FollowedLine {
  line: LogLine
  token: string | undefined
}

/** Maximum number of lines that `newest` reads. Otherwise the search for a rare match would occupy the daemon for seconds. */
const MAX_SCANNED_LINES = 20_000

/** Maximum number of instances in a line's token. The last line of a page may have more. */
const MAX_INSTANCES_IN_TOKEN = 32
/**
 * Maximum number of instances in the token of a page's last line. The client returns the token in a header, which has at most
 * 16 KB.
 */
const MAX_INSTANCES_FOLLOWED = 128

/** The log of one deployment, preview or build, or the logs of several deployments together. */
type LogIds = string | readonly string[]

/** Name of the file (without `.log`) for the daemon's own lines about a deployment. */
export const DAEMON_INSTANCE = 'daemon'

/**
 * The log lines of deployments, previews and builds: one folder each under `logsDir`, with a file for each instance, which
 * writes it, and one for the daemon. Readers merge them by time.
 */
export class LogStore {
  readonly #logsDir: string
  readonly #queue = new KeyedQueue()

  constructor(logsDir: string) {
    this.#logsDir = logsDir
  }

  /** Appends a line from the daemon, for example "instance inst_x was killed by SIGSEGV; restarting now". */
  append(id: string, line: LogLine): Promise<void> {
    return this.exclusive(id, () => this.#append(id, line))
  }

  /** One page, oldest line first. `nextToken` is null with `tail`, and for a page with fewer than `limit` lines. */
  async page(ids: LogIds, query: LogQuery): Promise<{ lines: LogLine[]; nextToken: string | null }> {
    if (query.tail !== undefined)
      return { lines: (await this.#tail(ids, query, query.tail)).lines.reverse(), nextToken: null }
    const { lines, position, more } = await this.#read(ids, decodeToken(query.nextToken), query, query.limit)
    return { lines, nextToken: more ? encodeToken(position) : null }
  }

  /**
   * One page, newest line first. It may have fewer lines than `limit` before the last page, because it reads a limited part of
   * the log. Lines that were written after the first page do not appear on later ones.
   */
  async newest(
    ids: LogIds,
    { limit, nextToken, ...filter }: LogFilter & { limit: number; nextToken?: string | undefined },
  ): Promise<{ lines: LogLine[]; nextToken: string | null }> {
    const from = decodeOlderThan(nextToken)
    const { lines, next } = await this.#tail(ids, filter, limit, { from, scan: MAX_SCANNED_LINES })
    return { lines, nextToken: next ? encodeToken(next) : null }
  }

  /** The line at a position. Undefined when it has been removed. */
  async lineAt(id: string, instance: string, at: LinePosition): Promise<LogLine | undefined> {
    return this.exclusive(id, async () => {
      const all = (await this.#segments(id)).get(instance) ?? []
      const segments = all.filter(({ number }) => number === at.segment)
      if (segments.length === 0) return undefined
      const reader = LogReader.open(new Map([[instance, segments]]), { [instance]: at })
      try {
        return await reader.next()
      } finally {
        await reader.close()
      }
    })
  }

  /**
   * Streams new matching lines until the signal aborts. `tail` and `since` add older lines. `after` continues an earlier
   * call after the line with this token. `current`: the id, or a function that returns the ids to read next.
   */
  async *follow(
    current: string | (() => readonly string[]),
    { tail, after, signal, ...filter }: LogFilter & { tail?: number; after?: string; signal: AbortSignal },
  ): AsyncGenerator<FollowedLine> {
    const idsOf = typeof current === 'string' ? () => current : current
    if (typeof current === 'string') await mkdir(this.folder(current), { recursive: true, mode: 0o700 })
    let position: LogPosition = {}
    if (after !== undefined) position = decodeToken(after)
    else if (tail) {
      const older = await this.#tail(idsOf(), filter, tail)
      position = older.end
      const token = encodeBounded(positionWithin(position, idsOf()), MAX_INSTANCES_FOLLOWED)
      // Only the last line has a token. A client that is disconnected before that line starts over.
      const last = older.lines[0]
      for (const line of older.lines.reverse()) yield { line, token: line === last ? token : undefined }
    } else if (filter.since === undefined) position = await this.#endPosition(idsOf())
    using changes = new FolderChanges(signal)
    while (!signal.aborted) {
      changes.forget()
      const ids = idsOf()
      changes.watch([ids].flat().map(id => this.folder(id)))
      const tokens: (string | undefined)[] = []
      const page = await this.#read(ids, position, filter, 1000, at =>
        tokens.push(encodeBounded(at, MAX_INSTANCES_IN_TOKEN)),
      )
      // Keeps the position of deployments that are not read now, because they may be started again.
      position = { ...position, ...page.position }
      tokens.splice(-1, 1, encodeBounded(page.position, MAX_INSTANCES_FOLLOWED))
      for (const [index, line] of page.lines.entries()) yield { line, token: tokens[index] }
      if (page.more) continue
      await changes.next()
      await sleep(GATHER_MS, undefined, { signal }).catch(() => {}) // aborted
    }
  }

  /** Instances with a log file, including stopped instances. */
  async instances(id: string): Promise<string[]> {
    return [...(await listSegments(this.folder(id))).keys()]
  }

  /** Deployments, previews and builds with a log, including removed ones. */
  async ids(): Promise<string[]> {
    const names = await readdir(this.#logsDir)
    return names.filter(name => /^(dep|mcp|bld)_/.test(name))
  }

  folder(id: string): string {
    return join(this.#logsDir, id)
  }

  /** Pending lines are written first, so that they do not recreate the folder. */
  async remove(id: string): Promise<void> {
    await this.exclusive(id, () => rm(this.folder(id), { recursive: true, force: true }))
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
    ids: LogIds,
    from: LogPosition,
    filter: LogFilter,
    limit: number,
    onLine?: (position: LogPosition) => void,
  ) {
    return this.#exclusiveAll(ids, async () => {
      const reader = LogReader.open(withoutOlder(await this.#segments(ids), from, filter.since), from)
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

  #tail(ids: LogIds, filter: LogFilter, count: number, options?: Parameters<typeof readTail>[3]) {
    return this.#exclusiveAll(ids, async () => readTail(await this.#segments(ids), filter, count, options))
  }

  #segments(ids: LogIds): Promise<Map<string, Segment[]>> {
    if (typeof ids === 'string') return listSegments(this.folder(ids))
    return listSegmentsOf(ids.map(id => ({ id, folder: this.folder(id) })))
  }

  async #endPosition(ids: LogIds): Promise<LogPosition> {
    const position: LogPosition = {}
    for (const [instance, segments] of await this.#segments(ids)) {
      const last = segments.at(-1)!
      position[instance] = { segment: last.number, offset: last.size }
    }
    return position
  }

  /** Runs `work` while no other work uses the log files with this id. */
  exclusive<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#queue.run(id, work)
  }

  /** Acquires the locks in the order of the ids, so that two calls cannot deadlock. */
  #exclusiveAll<T>(ids: LogIds, work: () => Promise<T>): Promise<T> {
    return [ids]
      .flat()
      .toSorted()
      .reduceRight<() => Promise<T>>((inner, id) => () => this.exclusive(id, inner), work)()
  }
}

/** Appends a line. Removes a partly written one (full disk), because the next line would be appended to it. */
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

/** The part of a position that belongs to these deployments. */
function positionWithin(position: LogPosition, ids: LogIds): LogPosition {
  if (typeof ids === 'string') return position
  const wanted = new Set(ids)
  return Object.fromEntries(Object.entries(position).filter(([key]) => wanted.has(originOf(key).deployment!)))
}

/** Skips files whose last line is older than `since`, unless their instance is part of the position. */
function withoutOlder(
  logs: ReadonlyMap<string, Segment[]>,
  from: LogPosition,
  since: string | undefined,
): ReadonlyMap<string, Segment[]> {
  if (since === undefined) return logs
  const sinceMs = Date.parse(since)
  const kept = [...logs].map(([key, segments]): [string, Segment[]] => [
    key,
    from[key] ? segments : segments.filter(({ modifiedMs }) => modifiedMs >= sinceMs),
  ])
  return new Map(kept.filter(([, segments]) => segments.length > 0))
}
