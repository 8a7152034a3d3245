import { createHash, randomBytes } from 'node:crypto'
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
import { type LockedDependencies, readLockedDependencies } from './lock-file.ts'
import { npmInstall } from './npm-install.ts'

/** What no build asked for in this time is removed when the daemon starts. */
const KEPT_MS = 30 * 24 * 3600 * 1000
/** Longer than an installation may take. */
const KEPT_WORK_MS = 3600 * 1000

/** npm packages of projects, installed once for each lock file. */
export class Dependencies {
  readonly #directory: string
  readonly #closing: AbortSignal
  readonly #installing = new Map<string, Promise<void>>()

  /** `closing`: ends what is being installed. */
  constructor(directory: string, closing: AbortSignal) {
    this.#directory = directory
    this.#closing = closing
  }

  /**
   * Makes the project's dependencies its `node_modules`. A project without any, or with a folder of that name, is left as it
   * is. `stopped` ends what is being installed for it. Throws INVALID_MCP for dependencies that are not locked and UPSTREAM_FAILED when they cannot be had.
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

  /** Removes what was not used for a month, and what a crash left half installed. */
  async prune(now: number): Promise<void> {
    const names = await readdir(this.#directory).catch(() => []) // nothing was ever installed
    for (const name of names) {
      const path = join(this.#directory, name)
      const { mtimeMs } = await stat(path)
      const kept = name.endsWith('.tmp') ? KEPT_WORK_MS : KEPT_MS
      if (now - mtimeMs > kept) await rm(path, { recursive: true, force: true })
    }
  }

  async #install(folder: string, wanted: Wanted): Promise<void> {
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
      // Who began the installation was stopped; this one was not.
      if (!known || wanted.stopped?.aborted || !isInterruption(error) || this.#closing.aborted) throw error
      await this.#install(folder, wanted)
    }
  }

  async #installInto(folder: string, { locked, npmrc, stopped }: Wanted): Promise<void> {
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

interface Wanted {
  locked: LockedDependencies
  npmrc: string
  stopped: AbortSignal | undefined
}

function isInterruption(error: unknown): boolean {
  return error instanceof HostingError && error.code === 'INTERRUPTED'
}

/** Only where packages come from, and the right to read them: other settings of npm name programs that it would run. */
function registrySettings(project: string): string {
  const file = join(project, '.npmrc')
  if (!existsSync(file)) return ''
  const lines = readFileSync(file, 'utf8').split(/\r?\n/)
  return lines
    .filter(line => /^\s*(?:(?:@[\w.-]+:)?registry|\/\/[^=]+:_auth(?:Token)?)\s*=/.test(line))
    .join('\n')
}

function keyOf({ packageJson, packageLock }: LockedDependencies, npmrc: string): string {
  return createHash('sha256')
    .update(JSON.stringify([packageJson, packageLock, npmrc]))
    .digest('hex')
}
