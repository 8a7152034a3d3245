import { createHash, randomBytes } from 'node:crypto'
import {
  createReadStream,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { flush } from './copied-database.ts'
import type { BackedUpFile } from './manifest.ts'

/**
 * Files that the backups in one folder share, by their path below the home. Their names contain digests and their content
 * never changes, so each is stored once, as a hard link if possible and otherwise as a copy.
 */
export class ObjectPool {
  readonly directory: string

  constructor(backups: string) {
    this.directory = join(backups, 'objects')
  }

  path(path: string): string {
    return join(this.directory, path)
  }

  /** Adds a file unless the pool has it. Returns false when the file does not exist. */
  async add(path: string, from: string): Promise<boolean> {
    const to = this.path(path)
    if (existsSync(to)) return true
    if (!existsSync(from)) return false
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    try {
      linkSync(from, to)
    } catch (error) {
      if (!isLinkUnsupported(error)) throw error
      await copyAtomically(from, to)
    }
    return true
  }

  /** Replaces an object with a copy of a file. */
  async replace(path: string, from: string): Promise<void> {
    mkdirSync(dirname(this.path(path)), { recursive: true, mode: 0o700 })
    await copyAtomically(from, this.path(path))
  }

  /** Size and digest of an object. Undefined when the pool does not have the object. */
  describe(path: string): Promise<BackedUpFile | undefined> {
    return describeFile(this.path(path), path)
  }

  /** Removes partial copies and all objects except `kept`. */
  prune(kept: ReadonlySet<string>): void {
    if (!existsSync(this.directory)) return
    for (const entry of readdirSync(this.directory, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      const name = path.slice(this.directory.length + 1)
      if (entry.isFile() && !kept.has(name)) rmSync(path, { force: true })
    }
  }
}

/** Copies a file atomically and flushes it to disk. */
export async function copyAtomically(from: string, to: string): Promise<void> {
  const temporary = `${to}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await copyFile(from, temporary)
    flush(temporary)
    renameSync(temporary, to)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Size and digest of a file. Undefined when the file does not exist. */
export async function describeFile(file: string, path: string): Promise<BackedUpFile | undefined> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(file)) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { path, digest: hash.digest('hex'), bytes }
}

/** True if the folder is on another file system or on one without hard links, or the file has the maximum number of links. */
function isLinkUnsupported(error: unknown): boolean {
  return /^(EXDEV|EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK|EACCES)$/.test(
    String((error as NodeJS.ErrnoException).code),
  )
}
