import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../../shared/atomic-file.ts'
import type { BuildRequest } from '../../../shared/definitions.ts'

/** Which artifact a source and a request made last time: the same ones make the same again, without any work. */
export class BuildMemory {
  readonly #directory: string
  readonly #toolchain: () => string

  /** `toolchain`: names everything besides source and request that what is made depends on. */
  constructor(directory: string, toolchain: () => string) {
    this.#directory = directory
    this.#toolchain = toolchain
  }

  /** The artifact's digest; whether it is still there, the caller asks. */
  find(sourceDigest: string, request: BuildRequest): string | undefined {
    const path = this.#path(sourceDigest, request)
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }

  remember(sourceDigest: string, request: BuildRequest, artifactDigest: string): void {
    writeFileAtomic(this.#path(sourceDigest, request), artifactDigest)
  }

  /** Forgets what leads to artifacts that are gone. */
  prune(isThere: (artifactDigest: string) => boolean): void {
    if (!existsSync(this.#directory)) return
    for (const name of readdirSync(this.#directory)) {
      const path = join(this.#directory, name)
      if (!isThere(readFileSync(path, 'utf8'))) rmSync(path, { force: true })
    }
  }

  /** The id of the source is left out: the same archive may be uploaded for several projects. */
  #path(sourceDigest: string, { source: _id, project_id: _project, ...request }: BuildRequest): string {
    const all = JSON.stringify([this.#toolchain(), sourceDigest, request])
    return join(this.#directory, createHash('sha256').update(all).digest('hex'))
  }
}
