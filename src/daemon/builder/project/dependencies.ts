import { randomBytes } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../../../shared/atomic-file.ts'
import { HostingError } from '../../../shared/errors.ts'
import { digestOf } from '../digest.ts'
import { type LockedDependencies, readLockedDependencies } from './lock-file.ts'
import { npmInstall } from './npm-install.ts'

/** Dependencies that no build has used for this long are removed when the daemon starts. */
const KEPT_MS = 30 * 24 * 3600 * 1000
/** Age at which an incomplete installation is removed. Longer than any installation takes. */
const KEPT_WORK_MS = 3600 * 1000

/** npm packages of projects, installed once per lock file. */
export class Dependencies {
  readonly #directory: string
  readonly #closing: AbortSignal
  readonly #installing = new Map<string, Promise<void>>()

  /** `closing`: aborts running installations. */
  constructor(directory: string, closing: AbortSignal) {
    this.#directory = directory
    this.#closing = closing
  }

  /**
   * Links the project's dependencies as its `node_modules`, unless the project has none or the folder exists. `stopped` aborts
   * the installation. Throws like `readLockedDependencies` and `runNpm`.
   */
  async provide(project: string, stopped?: AbortSignal): Promise<void> {
    const link = join(project, 'node_modules')
    if (lstatSync(link, { throwIfNoEntry: false })) return
    const locked = readLockedDependencies(project)
    if (!locked) return
    const npmrc = registrySettings(project)
    const folder = join(this.#directory, keyOf(locked, npmrc))
    await this.#install(folder, { locked, npmrc, stopped })
    symlinkSync(join(folder, 'node_modules'), link, 'junction')
  }

  /** Removes dependencies that have not been used for a month, and incomplete installations left behind by a crash. */
  async prune(now: number): Promise<void> {
    const names = await readdir(this.#directory).catch(() => []) // nothing was ever installed
    for (const name of names) {
      const path = join(this.#directory, name)
      const { mtimeMs } = await stat(path)
      const kept = name.endsWith('.tmp') ? KEPT_WORK_MS : KEPT_MS
      if (now - mtimeMs > kept) await rm(path, { recursive: true, force: true })
    }
  }

  async #install(folder: string, wanted: InstallRequest): Promise<void> {
    if (existsSync(folder)) {
      const now = new Date()
      return utimesSync(folder, now, now)
    }
    const known = this.#installing.get(folder)
    const running = known ?? this.#installInto(folder, wanted)
    this.#installing.set(folder, running)
    try {
      await running.finally(() => this.#installing.delete(folder))
    } catch (error) {
      // The build that started the installation was stopped, but this one was not.
      if (!known || wanted.stopped?.aborted || !isInterruption(error) || this.#closing.aborted) throw error
      await this.#install(folder, wanted)
    }
  }

  async #installInto(folder: string, { locked, npmrc, stopped }: InstallRequest): Promise<void> {
    const work = `${folder}.${randomBytes(4).toString('hex')}.tmp`
    mkdirSync(work, { recursive: true, mode: 0o700 })
    try {
      writeFileAtomic(join(work, 'package.json'), locked.packageJson)
      writeFileAtomic(join(work, 'package-lock.json'), locked.packageLock)
      if (npmrc) writeFileAtomic(join(work, '.npmrc'), npmrc)
      await npmInstall(work, stopped ? AbortSignal.any([this.#closing, stopped]) : this.#closing)
      rmSync(join(work, '.npmrc'), { force: true })
      mkdirSync(join(work, 'node_modules'), { recursive: true })
      renameSync(work, folder)
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  }
}

interface InstallRequest {
  locked: LockedDependencies
  npmrc: string
  stopped: AbortSignal | undefined
}

function isInterruption(error: unknown): boolean {
  return error instanceof HostingError && error.code === 'INTERRUPTED'
}

/** npm settings for registries and their tokens only. Other settings can name programs that npm would run. */
function registrySettings(project: string): string {
  const file = join(project, '.npmrc')
  if (!existsSync(file)) return ''
  const lines = readFileSync(file, 'utf8').split(/\r?\n/)
  return lines
    .filter(line => /^\s*(?:(?:@[\w.-]+:)?registry|\/\/[^=]+:_auth(?:Token)?)\s*=/.test(line))
    .join('\n')
}

function keyOf({ packageJson, packageLock }: LockedDependencies, npmrc: string): string {
  return digestOf(JSON.stringify([packageJson, packageLock, npmrc]))
}
