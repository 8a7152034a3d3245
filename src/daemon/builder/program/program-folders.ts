import { readdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tenant } from '../../../shared/instance-protocol.ts'

type Place = NonNullable<Tenant['program']>

/** What programs get of the daemon's environment: how to find commands, to speak to people, and to trust other machines. */
const PASSED = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'SystemRoot',
]

export interface ProgramFoldersOptions {
  directory: string
  /** Where npm packages are installed. */
  packages: string
  /** Folders of the daemon, which no program in a sandbox may see. */
  hidden: string[]
}

/**
 * Folders of programs, their HOME: one for each environment of a server, as its address is, so that what a program keeps
 * there outlives restarts and releases.
 */
export class ProgramFolders {
  readonly #directory: string
  readonly #packages: string
  readonly #hidden: string[]
  readonly #env: Record<string, string>

  constructor({ directory, packages, hidden }: ProgramFoldersOptions, env: NodeJS.ProcessEnv = process.env) {
    this.#directory = directory
    this.#packages = packages
    this.#hidden = hidden
    this.#env = Object.fromEntries(PASSED.flatMap(name => (env[name] ? [[name, env[name]]] : [])))
  }

  /** The program itself makes the folder. */
  place(server: string, slot: string): Place {
    return {
      folder: join(this.#directory, server, slot),
      packages: this.#packages,
      hidden: this.#hidden,
      env: this.#env,
    }
  }

  async remove(server: string, slot: string): Promise<void> {
    await rm(join(this.#directory, server, slot), { recursive: true, force: true })
  }

  /** Everything that programs of the server wrote. */
  removeOf(server: string): void {
    rmSync(this.folderOf(server), { recursive: true, force: true })
  }

  /** All folders of a server's programs. */
  folderOf(server: string): string {
    return join(this.#directory, server)
  }

  /** Servers that have folders. */
  servers(): string[] {
    try {
      return readdirSync(this.#directory)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [] // no program ever ran
      throw error
    }
  }
}
