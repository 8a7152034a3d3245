import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '../../../shared/atomic-file.ts'
import type { InstalledPackage } from '../../../shared/definitions/artifact.ts'
import { HostingError } from '../../../shared/errors.ts'
import { digestOf } from '../digest.ts'
import { runNpm } from '../project/npm-install.ts'
import type { NpxCommand } from './npx-command.ts'

/** Packages that no server has used for this long count as unused. A server that needs one later uses npx. */
const KEPT_MS = 90 * 24 * 3600 * 1000
/** Age at which an incomplete installation is removed. Longer than any installation takes. */
const KEPT_WORK_MS = 3600 * 1000

/**
 * npm packages of programs, each tree of versions installed once. A server that wakes up needs no registry, uses the versions
 * that it was built with, and runs as one process instead of npx's three.
 */
export class Packages {
  readonly directory: string
  readonly #closing: AbortSignal

  /** `closing`: aborts running installations. */
  constructor(directory: string, closing: AbortSignal) {
    this.directory = directory
    this.#closing = closing
  }

  /**
   * Installs the package that npx would run, unless that exact version is installed. When the registry cannot be reached, uses
   * the last version that was installed for the same command. Otherwise throws like `runNpm`. Throws INVALID_MCP when the package
   * does not have the executable.
   */
  async install(command: NpxCommand, stopped?: AbortSignal): Promise<InstalledPackage> {
    const known = this.#recall(command)
    if (known && isExact(command.spec)) return known
    try {
      return await this.#install(command, stopped)
    } catch (error) {
      if (known && (error as Partial<HostingError>).code === 'UPSTREAM_FAILED') return known
      throw error
    }
  }

  async #install(command: NpxCommand, stopped: AbortSignal | undefined): Promise<InstalledPackage> {
    const { spec, name, bin, args } = command
    const work = join(this.directory, `${randomBytes(8).toString('hex')}.tmp`)
    // Readable by all users, because a program may run as another user. The parent folder is private.
    mkdirSync(work, { recursive: true, mode: 0o755 })
    if (process.getuid?.() === 0) chmodSync(this.directory, 0o755)
    try {
      writeFileAtomic(join(work, 'package.json'), '{"name":"program","private":true}')
      await runNpm(
        work,
        ['install', spec, ...INSTALL_FLAGS],
        stopped ? AbortSignal.any([this.#closing, stopped]) : this.#closing,
        `the package ${JSON.stringify(spec)}`,
      )
      const found = readPackage(work, name, bin)
      const digest = installationDigest(readFileSync(join(work, 'package-lock.json'), 'utf8'))
      this.#keep(work, join(this.directory, digest))
      writeFileAtomic(this.#notePath(command), JSON.stringify({ digest, ...found }))
      return { digest, args, ...found }
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  }

  /**
   * Names of packages that no server has used for 90 days, and of notes whose package was removed. Also removes incomplete
   * installations left behind by a crash.
   */
  async unused(now: number): Promise<string[]> {
    const names = await readdir(this.directory).catch(() => []) // nothing was ever installed
    const unused: string[] = []
    for (const name of names) {
      if (name.endsWith('.json')) {
        if (!existsSync(this.path(readNote(this.path(name)).digest))) unused.push(name)
        continue
      }
      const { mtimeMs } = await stat(this.path(name))
      const isWork = name.endsWith('.tmp')
      if (now - mtimeMs <= (isWork ? KEPT_WORK_MS : KEPT_MS)) continue
      if (isWork) await this.remove(name)
      else unused.push(name)
    }
    return unused
  }

  path(name: string): string {
    return join(this.directory, name)
  }

  async remove(name: string): Promise<void> {
    await rm(this.path(name), { recursive: true, force: true })
  }

  #recall(command: NpxCommand): InstalledPackage | undefined {
    const path = this.#notePath(command)
    if (!existsSync(path)) return undefined
    const note = readNote(path)
    return existsSync(join(this.directory, note.digest)) ? { ...note, args: command.args } : undefined
  }

  #notePath({ spec, bin }: NpxCommand): string {
    return join(this.directory, `${installationDigest(JSON.stringify([spec, bin]))}.json`)
  }

  /** Keeps an existing installation of the same versions, because a server may be running it. */
  #keep(work: string, folder: string): void {
    const now = new Date()
    if (existsSync(folder)) utimesSync(folder, now, now)
    else renameSync(work, folder)
  }
}

/** Scripts run as with npx, because packages with native parts need them. */
const INSTALL_FLAGS = [
  '--omit=dev',
  '--no-audit',
  '--no-fund',
  '--no-progress',
  '--no-update-notifier',
  '--loglevel=error',
]

/** The package that was last installed for a command. */
function readNote(path: string): Omit<InstalledPackage, 'args'> {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** A tag or range may refer to another version later. */
function isExact(spec: string): boolean {
  return /@\d+\.\d+\.\d+(?:[-+][\w.+-]*)?$/.test(spec)
}

/** Includes Node's ABI version and the platform, because scripts may compile native parts. */
function installationDigest(lock: string): string {
  const { platform, arch, versions } = process
  return digestOf(JSON.stringify([lock, platform, arch, versions.modules]))
}

/** Chooses as npx does: the only executable, or the one with the name of the package (npm exec, "Description"). */
function readPackage(
  work: string,
  name: string,
  wanted: string | undefined,
): { bin: string; version: string } {
  const { version, bin = {} } = JSON.parse(
    readFileSync(join(work, 'node_modules', name, 'package.json'), 'utf8'),
  ) as { version: string; bin?: string | Record<string, string> }
  const own = name.replace(/^@[^/]+\//, '')
  const names = typeof bin === 'string' ? [own] : Object.keys(bin)
  const chosen = wanted ?? (names.length === 1 ? names[0] : names.find(one => one === own))
  if (chosen !== undefined && existsSync(join(work, 'node_modules', '.bin', chosen)))
    return { bin: chosen, version }
  throw new HostingError(
    'INVALID_MCP',
    `The package ${name}@${version} has no executable "${chosen ?? own}".`,
    {
      details:
        names.length > 0
          ? `It has ${names.join(', ')}. Choose one: npx -p ${name} <executable>`
          : 'It has none.',
    },
  )
}
