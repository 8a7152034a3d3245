import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import type { Artifact } from '../../shared/definitions/artifact.ts'
import { HostingError } from '../../shared/errors.ts'
import { KeyedQueue } from '../../shared/keyed-queue.ts'
import type { BuiltArtifact } from './build-artifact.ts'
import { digestOf } from './digest.ts'
import type { ObjectStorage } from './storage/object-storage.ts'
import { writeWhole } from './storage/write-whole.ts'

/**
 * Artifacts on disk in `<digest>.json`, with the bundle of handler modules in `<digest>.mjs`. The digests reveal damaged files.
 * With external storage, the local files are copies of its objects, so servers start even when the storage is unavailable.
 */
export class ArtifactStore {
  readonly #directory: string
  readonly #storage: ObjectStorage
  readonly #queue = new KeyedQueue()

  constructor(directory: string, storage: ObjectStorage) {
    this.#directory = directory
    this.#storage = storage
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  }

  /**
   * Saves an artifact, locally and in the storage. `record` marks the artifact as in use before any removal can run.
   * Throws UPSTREAM_FAILED when the storage rejects the artifact.
   */
  publish<T>(built: Pick<BuiltArtifact, 'digest' | 'bytes' | 'bundle'>, record: () => T): Promise<T> {
    const { digest, bytes, bundle } = built
    return this.#queue.run(digest, async () => {
      this.save(built)
      if (bundle !== undefined) await this.#put(this.#bundlePath(digest), digestOf(bundle), bundle)
      await this.#put(this.#path(digest), digest, bytes)
      return record()
    })
  }

  /** Fetches the artifact from the storage if necessary. Returns false if it does not exist. Throws storage errors. */
  async provide(digest: string): Promise<boolean> {
    if (this.has(digest)) return true
    const isFetched = await this.#fetch(this.#path(digest), digest)
    const bundle = isFetched ? bundleDigest(this.load(digest)) : undefined
    return isFetched && (bundle === undefined || this.#fetch(this.#bundlePath(digest), bundle))
  }

  /** Writes the files unless undamaged ones exist. Atomic. */
  save({ digest, bytes, bundle }: Pick<BuiltArtifact, 'digest' | 'bytes' | 'bundle'>): void {
    if (this.has(digest)) return
    if (bundle !== undefined) writeFileAtomic(this.#bundlePath(digest), bundle)
    writeFileAtomic(this.#path(digest), bytes)
  }

  /** True when the files exist and are undamaged. */
  has(digest: string): boolean {
    const bytes = readText(this.#path(digest))
    if (bytes === undefined || digestOf(bytes) !== digest) return false
    const expected = bundleDigest(JSON.parse(bytes))
    return expected === undefined || digestOf(readText(this.#bundlePath(digest)) ?? '') === expected
  }

  /** Throws UNAVAILABLE when the file is missing or damaged. */
  load(digest: string): Artifact {
    const bytes = readText(this.#path(digest))
    if (bytes === undefined) throw unusableArtifact(digest, 'is missing')
    if (digestOf(bytes) !== digest) throw damagedArtifact(digest)
    return JSON.parse(bytes)
  }

  /** Bundle of the artifact. Undefined when it has none. Throws UNAVAILABLE when a file is missing or damaged. */
  loadBundle(digest: string): string | undefined {
    const expected = bundleDigest(this.load(digest))
    if (expected === undefined) return undefined
    const bundle = readText(this.#bundlePath(digest))
    if (bundle === undefined) throw unusableArtifact(digest, 'is missing its bundle')
    if (digestOf(bundle) !== expected) throw damagedArtifact(digest)
    return bundle
  }

  /** Digests of all artifacts that have a file. */
  list(): string[] {
    const names = readdirSync(this.#directory)
    return [...new Set(names.flatMap(name => /^([0-9a-f]{64})\.(?:json|mjs)$/.exec(name)?.[1] ?? []))]
  }

  /** Possible paths of an artifact's files. */
  files(digest: string): string[] {
    return [this.#path(digest), this.#bundlePath(digest)]
  }

  /**
   * Removes an artifact unless `isUsed` returns true. Calls `isUsed` after pending work on the artifact. Throws UPSTREAM_FAILED
   * when the storage fails, and keeps the remaining files.
   */
  removeUnless(isUsed: () => boolean, digest: string): Promise<void> {
    return this.#queue.run(digest, async () => {
      if (isUsed()) return
      for (const path of this.files(digest)) {
        await this.#storage.remove(keyOf(path))
        rmSync(path, { force: true })
      }
    })
  }

  #put(path: string, digest: string, text: string): Promise<void> {
    return this.#storage.put(keyOf(path), path, { digest, sizeBytes: Buffer.byteLength(text) })
  }

  async #fetch(path: string, digest: string): Promise<boolean> {
    const content = await this.#storage.read(keyOf(path), digest)
    if (content) await writeWhole(content, path)
    return content !== undefined
  }

  #path(digest: string): string {
    if (!/^[0-9a-f]{64}$/.test(digest)) throw new TypeError('An artifact digest is 64 hexadecimal digits')
    return join(this.#directory, `${digest}.json`)
  }

  #bundlePath(digest: string): string {
    return this.#path(digest).replace(/json$/, 'mjs')
  }
}

function keyOf(path: string): string {
  return `artifacts/${basename(path)}`
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function bundleDigest({ program }: Artifact): string | undefined {
  return program?.type === 'module' ? program.bundle : undefined
}

function damagedArtifact(digest: string): HostingError {
  return unusableArtifact(digest, 'is damaged: its content does not match its digest')
}

function unusableArtifact(digest: string, why: string): HostingError {
  return new HostingError('UNAVAILABLE', `The artifact ${digest.slice(0, 12)} ${why}.`, {
    details: 'Build the server again. The same definitions result in the same artifact.',
    next: [{ description: 'Build the server again', command: 'mcp build' }],
  })
}
