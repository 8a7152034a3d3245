import { createReadStream, statSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { ReadEntry } from 'tar'
import { type RawEntry, refuseArchive, refuseEntry, type Visit } from './archive-entry.ts'
import { ARCHIVE_LIMITS } from './limits.ts'

const TYPES: Partial<Record<string, RawEntry['type']>> = {
  File: 'file',
  OldFile: 'file',
  ContiguousFile: 'file',
  Directory: 'directory',
  SymbolicLink: 'symlink',
  Link: 'hardlink',
}

const REFUSED_TYPES: Partial<Record<string, string>> = {
  CharacterDevice: 'is a character device',
  BlockDevice: 'is a block device',
  FIFO: 'is a named pipe',
}

/** Allowance per entry for headers and padding, in addition to the limit on files. */
const HEADER_BYTES = 4096

/** Calls `visit` for each entry of a .tar.gz, one at a time. */
export async function readTar(path: string, visit: Visit): Promise<void> {
  const { Parser } = await import('tar')
  const parser = new Parser({ strict: true, maxDecompressionRatio: Infinity })
  const visits = new PromiseChain()
  parser.on('error', visits.fail)
  parser.on('entry', (entry: ReadEntry) =>
    visits.add(async () => {
      await visit(toRaw(entry))
      entry.resume()
    }),
  )
  const ended = new Promise<void>(resolve => parser.on('end', resolve))
  const unpacked = new PassThrough()
  const feeding = Promise.all([
    pipeline(createReadStream(path), createGunzip(), unpacked),
    feed(unpacked, parser, { limitBytes: streamLimit(statSync(path).size), broken: visits.failed }),
  ])
  try {
    await Promise.race([feeding.then(() => ended), visits.failed])
    await visits.done()
  } finally {
    unpacked.destroy()
    await feeding.catch(() => {}) // reported above, or caused by destroying the stream
  }
}

/** Writes to the parser no faster than the entries are processed. */
async function feed(
  chunks: AsyncIterable<Buffer>,
  parser: {
    write(chunk: Buffer): boolean
    end(): unknown
    once(event: 'drain' | 'eof', listener: () => void): unknown
  },
  { limitBytes, broken }: { limitBytes: number; broken: Promise<never> },
): Promise<void> {
  let total = 0
  let ended = false
  parser.once('eof', () => {
    ended = true
  })
  for await (const chunk of chunks) {
    // The parser would also decompress a compressed archive inside the archive.
    if (total === 0 && (chunk[0] === 0x1f || chunk[0] === 0x28))
      throw refuseArchive('contains no tar archive')
    total += chunk.length
    if (total > limitBytes) throw refuseArchive('unpacks to far more than its files')
    // The parser would keep data after the end of the archive, and copy it with every chunk.
    if (ended || parser.write(chunk)) continue
    await Promise.race([new Promise<void>(resolve => parser.once('drain', resolve)), broken])
  }
  parser.end()
}

/** Limit on the unpacked stream. Also rejects an archive of nothing but padding early. */
function streamLimit(packedBytes: number): number {
  const { totalBytes, ratio, ratioFromBytes, entries } = ARCHIVE_LIMITS
  const files = Math.min(totalBytes, Math.max(ratioFromBytes, ratio * packedBytes))
  return files + entries * HEADER_BYTES
}

function toRaw(entry: ReadEntry): RawEntry {
  const type = TYPES[entry.type]
  if (!type)
    throw refuseEntry(entry.path, REFUSED_TYPES[entry.type] ?? `is of the unknown type ${entry.type}`)
  return {
    name: entry.path,
    type,
    executable: ((entry.mode ?? 0) & 0o100) !== 0,
    ...(entry.linkpath === undefined ? {} : { target: entry.linkpath }),
    size: entry.size,
    content: () => entry as AsyncIterable<Buffer>,
  }
}

/** Runs tasks in order. After the first failure, which rejects `failed`, no more tasks run. */
class PromiseChain {
  #last: Promise<void> = Promise.resolve()
  readonly failed: Promise<never>
  readonly fail: (error: unknown) => void

  constructor() {
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => {})
    this.failed = promise
    this.fail = reject
  }

  add(task: () => Promise<void>): void {
    this.#last = this.#last.then(task)
    this.#last.catch(this.fail)
  }

  done(): Promise<void> {
    return this.#last
  }
}
