import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Artifact } from '../../shared/artifact.ts'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { HostingError } from '../../shared/errors.ts'
import { digestOf } from './build-artifact.ts'

/** Artifacts on disk, each in `<digest>.json`; the digest tells whether a file is still what was written. */
export class ArtifactStore {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  }

  /** Writes the file unless an undamaged one is there; a crash leaves none or a whole one. */
  save(digest: string, bytes: string): void {
    if (this.has(digest)) return
    writeFileAtomic(this.#path(digest), bytes)
  }

  /** True when the file is there and undamaged. */
  has(digest: string): boolean {
    const bytes = this.#read(digest)
    return bytes !== undefined && digestOf(bytes) === digest
  }

  /** Throws UNAVAILABLE when the file is missing or damaged. */
  load(digest: string): Artifact {
    const bytes = this.#read(digest)
    if (bytes === undefined) throw unusable(digest, 'is missing')
    if (digestOf(bytes) !== digest)
      throw unusable(digest, 'is damaged: its content does not match its digest')
    return JSON.parse(bytes)
  }

  /** Digests of all files, and the names of those that a crash left half written. */
  list(): { digests: string[]; unfinished: string[] } {
    const names = readdirSync(this.#directory)
    return {
      digests: names.flatMap(name => /^([0-9a-f]{64})\.json$/.exec(name)?.[1] ?? []),
      unfinished: names.filter(name => name.endsWith('.tmp')),
    }
  }

  removeUnfinished(name: string): void {
    rmSync(join(this.#directory, name), { force: true })
  }

  /** Nothing happens when there is none. */
  remove(digest: string): void {
    rmSync(this.#path(digest), { force: true })
  }

  #read(digest: string): string | undefined {
    try {
      return readFileSync(this.#path(digest), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  #path(digest: string): string {
    if (!/^[0-9a-f]{64}$/.test(digest)) throw new TypeError('An artifact digest is 64 hexadecimal digits')
    return join(this.#directory, `${digest}.json`)
  }
}

function unusable(digest: string, why: string): HostingError {
  return new HostingError('UNAVAILABLE', `The artifact ${digest.slice(0, 12)} ${why}.`, {
    details: 'Build the server again: the same definitions make the same artifact.',
    next: [{ description: 'Build the server again', command: 'mcp build' }],
  })
}
