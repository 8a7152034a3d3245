import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KEPT_BACKUPS } from '../../shared/contract/daemon/backups.ts'
import { HostingError } from '../../shared/errors.ts'
import type { ObjectStorage } from '../builder/storage/object-storage.ts'
import { writeWhole } from '../builder/storage/write-whole.ts'
import { groupOf } from './make-backup.ts'
import {
  type BackedUpFile,
  type Manifest,
  newestFirst,
  parseManifest,
  readBackup,
  renderManifest,
  type StoredBackup,
  sha256,
} from './manifest.ts'
import { ObjectPool } from './object-pool.ts'

/** A manifest in the storage. Its key ends with its digest, so that it can be verified. */
export interface RemoteBackup {
  name: string
  key: string
  manifest: Manifest
}

const MANIFEST_KEY = /^(?<database>[^/]+)\/manifests\/(?<name>[^/.]+)\.(?<digest>[0-9a-f]{64})\.json$/

/**
 * Copies of backups in a folder or bucket. Several homes may share this storage, because all keys start with the id of the
 * database. Objects are sent first and the manifest last. Everything is read back and verified.
 */
export class RemoteBackups {
  readonly #storage: ObjectStorage

  constructor(storage: ObjectStorage) {
    this.#storage = storage
  }

  /** URI of a manifest. */
  locate(key: string): string {
    return this.#storage.locate(key)
  }

  /** Sends a backup from `folder`, then removes all but the newest seven backups of each reason. Throws UPSTREAM_FAILED. */
  async send(folder: string, manifest: Manifest): Promise<string> {
    const { databaseId, name, database } = manifest
    const pool = new ObjectPool(folder)
    const there = new Set(await this.#storage.list(`${databaseId}/objects/`))
    for (const { path, digest, bytes } of manifest.files) {
      const key = objectKey(databaseId, path)
      if (!there.has(key)) await this.#put(key, pool.path(path), { digest, bytes })
    }
    await this.#put(databaseKey(manifest), join(folder, `${name}.db`), database)
    const text = renderManifest(manifest)
    const temporary = join(folder, `${randomBytes(6).toString('hex')}.tmp`)
    const key = `${databaseId}/manifests/${name}.${sha256(text)}.json`
    try {
      writeFileSync(temporary, text, { mode: 0o600 })
      await this.#put(key, temporary, { digest: sha256(text), bytes: Buffer.byteLength(text) })
    } finally {
      rmSync(temporary, { force: true })
    }
    await this.#prune(databaseId)
    return this.locate(key)
  }

  /** Intact manifests of one database or of all, newest first. */
  async list(databaseId?: string): Promise<RemoteBackup[]> {
    const keys = await this.#storage.list(databaseId ? `${databaseId}/manifests/` : '')
    const found: RemoteBackup[] = []
    for (const key of keys) {
      const { name, digest } = MANIFEST_KEY.exec(key)?.groups ?? {}
      const text = name && (await this.#readText(key, digest!).catch(() => undefined))
      const manifest = text ? parseManifest(text) : undefined
      if (manifest) found.push({ name: name!, key, manifest })
    }
    return found.sort(newestFirst)
  }

  /** Downloads a backup with the files that `needs` selects. Throws UPSTREAM_FAILED and INVALID_REQUEST. */
  async fetch(
    { manifest }: RemoteBackup,
    folder: string,
    needs: (file: BackedUpFile) => Promise<boolean>,
  ): Promise<StoredBackup> {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { databaseId, name, database, files } = manifest
    const pool = new ObjectPool(folder)
    const file = join(folder, `${name}.db`)
    await this.#get(databaseKey(manifest), database.digest, file)
    for (const one of files)
      if (!existsSync(pool.path(one.path)) && (await needs(one)))
        await this.#get(objectKey(databaseId, one.path), one.digest, pool.path(one.path))
    writeFileSync(join(folder, `${name}.json`), renderManifest(manifest), { mode: 0o600 })
    return readBackup(file)
  }

  /** Reads the whole backup and returns a sentence about each problem. */
  async verify({ manifest }: RemoteBackup): Promise<string[]> {
    const { databaseId, database, files } = manifest
    const all: [key: string, digest: string][] = [
      [databaseKey(manifest), database.digest],
      ...files.map(({ path, digest }): [string, string] => [objectKey(databaseId, path), digest]),
    ]
    const problems: string[] = []
    for (const [key, digest] of all)
      if (!(await this.#isWhole(key, digest))) problems.push(`${this.locate(key)} is missing or damaged`)
    return problems
  }

  async #put(key: string, file: string, { digest, bytes }: { digest: string; bytes: number }): Promise<void> {
    await this.#storage.put(key, file, { digest, sizeBytes: bytes })
    if (await this.#isWhole(key, digest)) return
    throw new HostingError('UPSTREAM_FAILED', `${this.locate(key)} differs from what was written.`)
  }

  async #isWhole(key: string, digest: string): Promise<boolean> {
    try {
      const content = await this.#storage.read(key, digest)
      if (!content) return false
      for await (const _ of content); // the digest is compared at the end
      return true
    } catch (error) {
      if (error instanceof HostingError && error.code === 'INVALID_REQUEST') return false
      throw error
    }
  }

  async #get(key: string, digest: string, file: string): Promise<void> {
    const content = await this.#storage.read(key, digest)
    // The verification of the download reports missing objects.
    if (content) await writeWhole(content, file)
  }

  async #readText(key: string, digest: string): Promise<string | undefined> {
    const content = await this.#storage.read(key, digest)
    if (!content) return undefined
    const chunks: Uint8Array[] = []
    for await (const chunk of content) chunks.push(chunk)
    return Buffer.concat(chunks).toString('utf8')
  }

  /** Removes nothing if a manifest cannot be read, because that manifest may refer to any of the objects. */
  async #prune(databaseId: string): Promise<void> {
    const all = await this.list(databaseId)
    const manifests = await this.#storage.list(`${databaseId}/manifests/`)
    if (manifests.length !== all.length) return
    const kept: RemoteBackup[] = []
    for (const backup of all) {
      const isLike = (other: RemoteBackup) => groupOf(other.manifest) === groupOf(backup.manifest)
      if (kept.filter(isLike).length < KEPT_BACKUPS) kept.push(backup)
      else await this.#storage.remove(backup.key)
    }
    const used = new Set(
      kept.flatMap(({ manifest }) => [
        databaseKey(manifest),
        ...manifest.files.map(({ path }) => objectKey(databaseId, path)),
      ]),
    )
    for (const kind of ['objects', 'databases'])
      for (const key of await this.#storage.list(`${databaseId}/${kind}/`))
        if (!used.has(key)) await this.#storage.remove(key)
  }
}

function objectKey(databaseId: string, path: string): string {
  return `${databaseId}/objects/${path}`
}

function databaseKey({ databaseId, database }: Manifest): string {
  return `${databaseId}/databases/${database.digest}.db`
}
