import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Artifact } from '../../shared/artifact.ts'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { HostingError } from '../../shared/errors.ts'
import { Turns } from '../../shared/turns.ts'
import type { BuiltArtifact } from './build-artifact.ts'
import { digestOf } from './digest.ts'
import type { ObjectStorage } from './storage/object-storage.ts'
import { writeWhole } from './storage/write-whole.ts'

/**
 * Artifacts on disk, each in `<digest>.json`, beside it the bundle of a handler module in `<digest>.mjs`: both come and go
 * together. The digests tell whether a file is still what was written. With a storage elsewhere the files are copies of
 * what is kept there, so that servers start without it.
 */
export class ArtifactStore {
  readonly #directory: string
  readonly #storage: ObjectStorage
  readonly #turns = new Turns()

  constructor(directory: string, storage: ObjectStorage) {
    this.#directory = directory
    this.#storage = storage
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  }

  /**
   * Saves it, here and in the storage; `record` writes down that it is used, and no removal comes in between. Throws
   * UPSTREAM_FAILED when the storage does not take it.
   */
  publish<T>(built: Pick<BuiltArtifact, 'digest' | 'bytes' | 'bundle'>, record: () => T): Promise<T> {
    const { digest, bytes, bundle } = built
    return this.#turns.take(digest, async () => {
      this.save(built)
      if (bundle !== undefined) await this.#put(this.#bundlePath(digest), digestOf(bundle), bundle)
      await this.#put(this.#path(digest), digest, bytes)
      return record()
    })
  }

  /** Fetches what is not here. False when it is not there either. Throws what reading the storage does. */
  async provide(digest: string): Promise<boolean> {
    if (this.has(digest)) return true
    const isFetched = await this.#fetch(this.#path(digest), digest)
    const bundle = isFetched ? bundleDigest(this.load(digest)) : undefined
    return isFetched && (bundle === undefined || this.#fetch(this.#bundlePath(digest), bundle))
  }

  /** Writes the files unless undamaged ones are there; a crash leaves none or a whole artifact. */
  save({ digest, bytes, bundle }: Pick<BuiltArtifact, 'digest' | 'bytes' | 'bundle'>): void {
    if (this.has(digest)) return
    if (bundle !== undefined) writeFileAtomic(this.#bundlePath(digest), bundle)
    writeFileAtomic(this.#path(digest), bytes)
  }

  /** True when the files are there and undamaged. */
  has(digest: string): boolean {
    const bytes = readText(this.#path(digest))
    if (bytes === undefined || digestOf(bytes) !== digest) return false
    const expected = bundleDigest(JSON.parse(bytes))
    return expected === undefined || digestOf(readText(this.#bundlePath(digest)) ?? '') === expected
  }

  /** Throws UNAVAILABLE when the file is missing or damaged. */
  load(digest: string): Artifact {
    const bytes = readText(this.#path(digest))
    if (bytes === undefined) throw unusable(digest, 'is missing')
    if (digestOf(bytes) !== digest) throw damaged(digest)
    return JSON.parse(bytes)
  }

  /** The bundle that belongs to the artifact; undefined when it has none. Throws as `load` does. */
  loadBundle(digest: string): string | undefined {
    const expected = bundleDigest(this.load(digest))
    if (expected === undefined) return undefined
    const bundle = readText(this.#bundlePath(digest))
    if (bundle === undefined) throw unusable(digest, 'has lost its bundle')
    if (digestOf(bundle) !== expected) throw damaged(digest)
    return bundle
  }

  /** Digests of all files. */
  list(): string[] {
    const names = readdirSync(this.#directory)
    return [...new Set(names.flatMap(name => /^([0-9a-f]{64})\.(?:json|mjs)$/.exec(name)?.[1] ?? []))]
  }

  /** Paths of an artifact's files, whether they are there or not. */
  files(digest: string): string[] {
    return [this.#path(digest), this.#bundlePath(digest)]
  }

  /** Unless it is in use by then. Nothing happens when there is none. Throws UPSTREAM_FAILED, and then it stays. */
  removeUnless(isUsed: () => boolean, digest: string): Promise<void> {
    return this.#turns.take(digest, async () => {
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

function damaged(digest: string): HostingError {
  return unusable(digest, 'is damaged: its content does not match its digest')
}

function unusable(digest: string, why: string): HostingError {
  return new HostingError('UNAVAILABLE', `The artifact ${digest.slice(0, 12)} ${why}.`, {
    details: 'Build the server again: the same definitions make the same artifact.',
    next: [{ description: 'Build the server again', command: 'mcp build' }],
  })
}
