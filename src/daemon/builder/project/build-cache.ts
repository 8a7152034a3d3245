import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildRequest } from '../../../shared/definitions/definitions.ts'
import { digestOf } from '../digest.ts'

const DIGEST = /^[0-9a-f]{64}$/

/** Remembers the artifact of each source and request, so that the same build is not repeated. */
export class BuildCache {
  readonly #directory: string
  readonly #toolchain: () => string

  /** `toolchain`: identifies everything else that artifacts depend on. */
  constructor(directory: string, toolchain: () => string) {
    this.#directory = directory
    this.#toolchain = toolchain
  }

  /** Digest of the artifact, which may no longer exist. */
  find(sourceDigest: string, request: BuildRequest): string | undefined {
    const path = this.#path(sourceDigest, request)
    return existsSync(path) ? readDigest(path) : undefined
  }

  /** Not flushed to disk, because every build would wait for it. A file truncated by a power failure counts as missing. */
  remember(sourceDigest: string, request: BuildRequest, artifactDigest: string): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    writeFileSync(this.#path(sourceDigest, request), artifactDigest, { mode: 0o600 })
  }

  /** Forgets artifacts that no longer exist, and removes damaged files. */
  prune(exists: (artifactDigest: string) => boolean): void {
    if (!existsSync(this.#directory)) return
    for (const name of readdirSync(this.#directory)) {
      const path = join(this.#directory, name)
      const digest = readDigest(path)
      if (digest === undefined || !exists(digest)) rmSync(path, { force: true })
    }
  }

  /** Ignores the ids of source and project, because the same archive may be uploaded for several projects. */
  #path(sourceDigest: string, { source: _id, project_id: _project, ...request }: BuildRequest): string {
    return join(this.#directory, digestOf(JSON.stringify([this.#toolchain(), sourceDigest, request])))
  }
}

/** Undefined for a damaged file. */
function readDigest(path: string): string | undefined {
  const text = readFileSync(path, 'utf8')
  return DIGEST.test(text) ? text : undefined
}
