import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, realpathSync, rmSync, unlinkSync } from 'node:fs'
import { chmod, cp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SourceArchives, StoredSource } from '../archive/source-archives.ts'
import type { Dependencies } from '../project/dependencies.ts'

/** Source archives of programs, each unpacked once. Programs in a sandbox cannot change the files. */
export class ProgramSources {
  readonly #directory: string
  readonly #archives: SourceArchives
  readonly #dependencies: Dependencies

  constructor(directory: string, archives: SourceArchives, dependencies: Dependencies) {
    this.#directory = directory
    this.#archives = archives
    this.#dependencies = dependencies
  }

  /** Folder of the archive with this digest. May not exist. */
  folder(digest: string): string {
    return join(this.#directory, digest)
  }

  /**
   * Unpacks the archive unless that was already done. If it has a `package-lock.json`, installs the locked dependencies without
   * running their scripts. Throws like `SourceArchives.unpack` and `Dependencies.provide`.
   */
  async provide(source: Pick<StoredSource, 'digest' | 'format'>): Promise<void> {
    const folder = this.folder(source.digest)
    if (existsSync(folder)) return
    const work = `${folder}.${randomBytes(4).toString('hex')}.tmp`
    try {
      const root = await this.#archives.unpack(source, work)
      if (existsSync(join(root, 'package-lock.json'))) await this.#install(root)
      await chmod(root, 0o755) // a program may run as another user, and the parent folder is private
      await rename(root, folder).catch(error => {
        if (!existsSync(folder)) throw error // otherwise another build of the same archive finished first
      })
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  }

  /** Digests of the unpacked archives. */
  list(): string[] {
    if (!existsSync(this.#directory)) return []
    return readdirSync(this.#directory).filter(name => /^[0-9a-f]{64}$/.test(name))
  }

  /** Does nothing when the archive has not been unpacked. */
  remove(digest: string): void {
    rmSync(this.folder(digest), { recursive: true, force: true })
  }

  /** Installs a copy, because dependencies that projects share are removed when no build uses them for a month. */
  async #install(root: string): Promise<void> {
    const link = join(root, 'node_modules')
    await this.#dependencies.provide(root)
    if (!lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) return
    const shared = realpathSync(link)
    unlinkSync(link)
    await cp(shared, link, { recursive: true, verbatimSymlinks: true })
  }
}
