import { createReadStream, realpathSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { checked, type ObjectStorage, type StoredContent } from './object-storage.ts'
import { writeWhole } from './write-whole.ts'

/** What clients may name lies in this folder; beside it may be anything, such as the keys of the daemon. */
const NAMEABLE = 'sources'

/** Objects as files below a folder: by default the home itself. */
export class FileStorage implements ObjectStorage {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = resolve(directory)
  }

  locate(key: string): string {
    return pathToFileURL(this.#path(key)).href
  }

  /** Only of sources: a client that may name files could otherwise have any file of this machine read. */
  keyOf(location: string): string | undefined {
    const path = toPath(location)
    const folder = join(this.#directory, NAMEABLE)
    if (path === undefined || !path.startsWith(folder + sep)) return undefined
    if (realOf(path) !== undefined && !realOf(path)!.startsWith((realOf(folder) ?? folder) + sep))
      return undefined
    return path.slice(this.#directory.length + 1).replaceAll(sep, '/')
  }

  /** A file that lies in its place already stays as it is. */
  async put(key: string, file: string, { digest }: StoredContent): Promise<void> {
    const path = this.#path(key)
    if (resolve(file) === path) return
    await writeWhole(checked(createReadStream(file), digest, file), path)
  }

  async read(key: string, digest: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const path = this.#path(key)
    const isThere = await stat(path).then(
      found => found.isFile(),
      error => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false
        throw error
      },
    )
    return isThere ? checked(createReadStream(path), digest, this.locate(key)) : undefined
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
    throw new TypeError(`"${key}" leads out of the storage`)
  }
}

function toPath(location: string): string | undefined {
  try {
    return resolve(fileURLToPath(location))
  } catch {
    return undefined // no file URI, or one of another host
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined // it is not there
  }
}
