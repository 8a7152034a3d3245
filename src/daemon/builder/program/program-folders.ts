import { readdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tenant } from '../../../shared/instances/instance-protocol.ts'

type Place = NonNullable<Tenant['program']>

/** Variables of the daemon that programs receive, so that they find commands, locales, time zones and certificates. */
const PASSED_VARIABLES = [
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
  /** Folder of installed npm packages. */
  packages: string
  /** Folders of the daemon, which no program in a sandbox may see. */
  hidden: string[]
}

/** HOME folders of programs, one for each environment of a server, so that a program's files survive restarts and releases. */
export class ProgramFolders {
  readonly #directory: string
  readonly #packages: string
  readonly #hidden: string[]
  readonly #env: Record<string, string>

  constructor({ directory, packages, hidden }: ProgramFoldersOptions, env: NodeJS.ProcessEnv = process.env) {
    this.#directory = directory
    this.#packages = packages
    this.#hidden = hidden
    this.#env = Object.fromEntries(PASSED_VARIABLES.flatMap(name => (env[name] ? [[name, env[name]]] : [])))
  }

  /** The instance creates the folder. */
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

  /** Removes all files that programs of the server wrote. */
  removeServer(server: string): void {
    rmSync(this.folderOf(server), { recursive: true, force: true })
  }

  folderOf(server: string): string {
    return join(this.#directory, server)
  }

  servers(): string[] {
    try {
      return readdirSync(this.#directory)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [] // no program ran yet
      throw error
    }
  }
}
