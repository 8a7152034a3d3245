import { createReadStream, realpathSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { checkDigest, type ObjectStorage, type StoredContent } from './object-storage.ts'
import { writeWhole } from './write-whole.ts'

/** Clients may only name files in this folder. Other folders may contain anything, such as the daemon's keys. */
const CLIENT_FOLDER = 'sources'

/** Objects as files in a folder, by default the home. */
export class FileStorage implements ObjectStorage {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = resolve(directory)
  }

  locate(key: string): string {
    return pathToFileURL(this.#path(key)).href
  }

  /** Undefined for files other than sources, so that a client cannot read any file on this machine. */
  keyOf(location: string): string | undefined {
    const path = toPath(location)
    const folder = join(this.#directory, CLIENT_FOLDER)
    if (path === undefined || !path.startsWith(folder + sep)) return undefined
    if (realOf(path) !== undefined && !realOf(path)!.startsWith((realOf(folder) ?? folder) + sep))
      return undefined
    return path.slice(this.#directory.length + 1).replaceAll(sep, '/')
  }

  /** Does nothing for a file that is already in place. */
  async put(key: string, file: string, { digest }: StoredContent): Promise<void> {
    const path = this.#path(key)
    if (resolve(file) === path) return
    await writeWhole(checkDigest(createReadStream(file), digest, file), path)
  }

  async read(key: string, digest: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const path = this.#path(key)
    const exists = await stat(path).then(
      found => found.isFile(),
      error => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false
        throw error
      },
    )
    return exists ? checkDigest(createReadStream(path), digest, this.locate(key)) : undefined
  }

  async remove(key: string): Promise<void> {
    await rm(this.#path(key), { force: true })
  }

  async list(prefix: string): Promise<string[]> {
    const folder = this.#path(dirname(`${prefix}x`))
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(error => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
      throw error
    })
    return entries
      .filter(entry => entry.isFile() && !entry.name.endsWith('.tmp'))
      .map(entry => relative(this.#directory, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
      .filter(key => key.startsWith(prefix))
      .sort()
  }

  #path(key: string): string {
    const path = resolve(this.#directory, key)
    if (path === this.#directory || path.startsWith(this.#directory + sep)) return path
    throw new TypeError(`"${key}" is outside the storage`)
  }
}

function toPath(location: string): string | undefined {
  try {
    return resolve(fileURLToPath(location))
  } catch {
    return undefined // not a file URI, or for another host
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined // it does not exist
  }
}
