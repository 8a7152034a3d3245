import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../../shared/atomic-file.ts'
import type { BuildRequest } from '../../../shared/definitions/definitions.ts'
import { digestOf } from '../digest.ts'

/** Remembers the artifact of each source and request, so that the same build is not repeated. */
export class BuildMemory {
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
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }

  remember(sourceDigest: string, request: BuildRequest, artifactDigest: string): void {
    writeFileAtomic(this.#path(sourceDigest, request), artifactDigest)
  }

  /** Forgets artifacts that no longer exist. */
  prune(exists: (artifactDigest: string) => boolean): void {
    if (!existsSync(this.#directory)) return
    for (const name of readdirSync(this.#directory)) {
      const path = join(this.#directory, name)
      if (!exists(readFileSync(path, 'utf8'))) rmSync(path, { force: true })
    }
  }

  /** Ignores the id of the source, because the same archive may be uploaded for several projects. */
  #path(sourceDigest: string, { source: _id, project_id: _project, ...request }: BuildRequest): string {
    return join(this.#directory, digestOf(JSON.stringify([this.#toolchain(), sourceDigest, request])))
  }
}
