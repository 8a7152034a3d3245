import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { SOURCE_LIMIT_BYTES, sourceTooLarge } from '../../../shared/contract/projects/source-limit.ts'
import { HostingError } from '../../../shared/errors.ts'
import { KeyedQueue } from '../../../shared/keyed-queue.ts'
import { type ObjectStorage, toDiskError } from '../storage/object-storage.ts'
import { writeWhole } from '../storage/write-whole.ts'
import type { ArchiveFormat } from './archive-entry.ts'
import { checkArchive, detectFormat, unpackArchive } from './unpack.ts'

export interface StoredSource {
  /** SHA-256 of the archive, 64 hexadecimal digits. */
  digest: string
  format: ArchiveFormat
  sizeBytes: number
}

/**
 * Uploaded archives, unchanged, in `<digest>.tar.gz` or `<digest>.zip`. With external storage, the local files are copies of its
 * objects. A local file means that its object may exist, so the object is always removed first.
 */
export class SourceArchives {
  readonly #directory: string
  readonly #storage: ObjectStorage
  readonly #queue = new KeyedQueue()

  constructor(directory: string, storage: ObjectStorage) {
    this.#directory = directory
    this.#storage = storage
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  }

  /**
   * Stores an archive while it streams. `keep` marks the archive as in use before any removal can run. Throws
   * PAYLOAD_TOO_LARGE, and UNSUPPORTED_MEDIA_TYPE when `body` is not an archive. Throws INVALID_REQUEST when the archive is
   * malicious, damaged or does not have the `expected` digest. Throws UPSTREAM_FAILED when the storage rejects the archive.
   */
  async receive<T>(
    body: AsyncIterable<Uint8Array>,
    expected: string | undefined,
    keep: (stored: StoredSource) => T,
  ): Promise<T> {
    const temporary = join(this.#directory, `${randomBytes(8).toString('hex')}.tmp`)
    try {
      const { digest, sizeBytes } = await this.#write(body, temporary)
      if (expected !== undefined && digest !== expected)
        throw new HostingError('INVALID_REQUEST', 'The archive was damaged during the upload.', {
          details: `Its SHA-256 is ${digest} instead of ${expected}. Upload it again.`,
        })
      const format = detectFormat(temporary)
      if (!this.has(digest, format)) await checkArchive(temporary, format)
      return await this.#queue.run(digest, async () => {
        const path = this.path(digest, format)
        renameSync(temporary, path)
        await this.#storage.put(keyOf(digest, format), path, { digest, sizeBytes })
        return keep({ digest, format, sizeBytes })
      })
    } catch (error) {
      rmSync(temporary, { force: true })
      throw toDiskError(error, 'the archive')
    }
  }

  /** URI of an archive. */
  locate({ digest, format }: Pick<StoredSource, 'digest' | 'format'>): string {
    return this.#storage.locate(keyOf(digest, format))
  }

  /** Fetches the archive from the storage if necessary. Returns false if it does not exist. Throws storage errors. */
  async provide({ digest, format }: Pick<StoredSource, 'digest' | 'format'>): Promise<boolean> {
    if (this.has(digest, format)) return true
    return this.#queue.run(digest, async () => {
      if (this.has(digest, format)) return true
      const content = await this.#storage.read(keyOf(digest, format), digest)
      if (content) await writeWhole(content, this.path(digest, format))
      return content !== undefined
    })
  }

  has(digest: string, format: ArchiveFormat): boolean {
    return existsSync(this.path(digest, format))
  }

  path(digest: string, format: ArchiveFormat): string {
    if (!/^[0-9a-f]{64}$/.test(digest)) throw new TypeError('A source digest is 64 hexadecimal digits')
    return join(this.#directory, `${digest}.${format}`)
  }

  /**
   * Unpacks into the new folder `into` and returns the project's folder in it. Throws NO_SOURCE when the archive no longer
   * exists.
   */
  async unpack({ digest, format }: Pick<StoredSource, 'digest' | 'format'>, into: string): Promise<string> {
    if (!(await this.provide({ digest, format })))
      throw new HostingError('NO_SOURCE', `The source archive ${digest.slice(0, 12)} no longer exists.`, {
        details: 'Upload the source again, then build.',
      })
    await mkdir(into, { recursive: true, mode: 0o700 })
    return (await unpackArchive(this.path(digest, format), format, into)).root
  }

  list(): string[] {
    const names = readdirSync(this.#directory)
    return [...new Set(names.flatMap(name => /^([0-9a-f]{64})\.(?:tar\.gz|zip)$/.exec(name)?.[1] ?? []))]
  }

  /** Possible paths of an archive. */
  files(digest: string): string[] {
    return (['tar.gz', 'zip'] as const).map(format => this.path(digest, format))
  }

  /**
   * Removes an archive unless `isUsed` returns true. Calls `isUsed` after pending work on the archive. Throws UPSTREAM_FAILED and
   * keeps the file when the storage fails.
   */
  removeUnless(isUsed: () => boolean, digest: string): Promise<void> {
    return this.#queue.run(digest, async () => {
      if (isUsed()) return
      for (const format of ['tar.gz', 'zip'] as const) {
        if (!this.has(digest, format)) continue
        await this.#storage.remove(keyOf(digest, format))
        rmSync(this.path(digest, format), { force: true })
      }
    })
  }

  async #write(
    body: AsyncIterable<Uint8Array>,
    path: string,
  ): Promise<{ digest: string; sizeBytes: number }> {
    const hash = createHash('sha256')
    let sizeBytes = 0
    async function* counted() {
      for await (const chunk of body) {
        sizeBytes += chunk.length
        if (sizeBytes > SOURCE_LIMIT_BYTES) throw sourceTooLarge()
        hash.update(chunk)
        yield chunk
      }
    }
    await pipeline(Readable.from(counted()), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    const file = await open(path, 'r')
    await file.sync()
    await file.close()
    return { digest: hash.digest('hex'), sizeBytes }
  }
}

function keyOf(digest: string, format: ArchiveFormat): string {
  return `sources/${digest}.${format}`
}
