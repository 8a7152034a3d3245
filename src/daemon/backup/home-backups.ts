import { existsSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import type { BackupEntry, BackupReason, BackupStatus, RestoreReport } from '../../shared/backups.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { VERSION } from '../../shared/version.ts'
import { makeBackup } from './make-backup.ts'
import { type Manifest, newestFirst, readBackup, readBackups, type StoredBackup } from './manifest.ts'
import type { RemoteBackup, RemoteBackups } from './remote-backups.ts'
import { type RestoreOptions, requireRestorable, restoreBackup } from './restore-backup.ts'
import { isWhole, verifyBackup } from './verify-backup.ts'

export interface MadeBackup extends BackupEntry {
  /** URI of the manifest elsewhere. */
  sentTo?: string
  /** Why it was not sent: the backup in the home is made. */
  sendError?: string
}

/** Backups of a home: in its folder `backups`, and in the storage that `MCP_BACKUP` names. */
export class HomeBackups {
  readonly #paths: HomePaths
  readonly #openRemote: () => Promise<RemoteBackups | undefined>

  /** `openRemote` throws for wrong settings, which must not keep the home from being backed up. */
  constructor(paths: HomePaths, openRemote: () => Promise<RemoteBackups | undefined>) {
    this.#paths = paths
    this.#openRemote = openRemote
  }

  /** Makes one, verifies it and sends it. Throws UNAVAILABLE when the home could not be backed up. */
  async make(reason: BackupReason): Promise<MadeBackup> {
    try {
      const manifest = await makeBackup(this.#paths, reason)
      const sent = await this.#send(manifest)
      this.#note({ name: manifest.name, sentTo: sent.sentTo, error: sent.sendError })
      return { ...entryOf(manifest, join(this.#paths.backups, `${manifest.name}.db`)), ...sent }
    } catch (error) {
      this.#note({ error: (error as Error).message })
      throw error
    }
  }

  async list(): Promise<BackupEntry[]> {
    const here = readBackups(this.#paths.backups).map(({ file, manifest, name }) =>
      manifest ? entryOf(manifest, file) : { name, file, bytes: statSync(file).size, files: 0, missing: 0 },
    )
    const remote = await this.#openRemote()
    const there = (await remote?.list()) ?? []
    return [...here, ...there.map(({ manifest, key }) => entryOf(manifest, remote!.locate(key)))]
  }

  /** Reads all of one backup, the newest by default. */
  async verify(reference: string | undefined): Promise<{ file: string; problems: string[] }> {
    const found = await this.#find(reference)
    if ('key' in found) {
      const remote = (await this.#openRemote())!
      return { file: remote.locate(found.key), problems: await remote.verify(found) }
    }
    return { file: found.file, problems: await verifyBackup(found) }
  }

  /** Throws what `restore` does, and changes nothing. Returns what would be restored. */
  async check(
    reference: string | undefined,
    options: RestoreOptions,
  ): Promise<Pick<BackupEntry, 'file' | 'createdAt'>> {
    return this.#with(reference, async (backup, file) => {
      await requireRestorable(this.#paths, backup, options)
      return { file, ...(backup.manifest && { createdAt: backup.manifest.createdAt }) }
    })
  }

  async restore(reference: string | undefined, options: RestoreOptions): Promise<RestoreReport> {
    return this.#with(reference, backup => restoreBackup(this.#paths, backup, options))
  }

  async #send(manifest: Manifest): Promise<Pick<MadeBackup, 'sentTo' | 'sendError'>> {
    try {
      const remote = await this.#openRemote()
      return remote ? { sentTo: await remote.send(this.#paths.backups, manifest) } : {}
    } catch (error) {
      return { sendError: (error as Error).message }
    }
  }

  /** A backup of a storage is downloaded first, without the files that the home has. */
  async #with<T>(
    reference: string | undefined,
    work: (backup: StoredBackup, file: string) => Promise<T>,
  ): Promise<T> {
    const found = await this.#find(reference)
    if (!('key' in found)) return work(found, found.file)
    const remote = (await this.#openRemote())!
    const folder = join(this.#paths.backups, `${found.name}-${process.pid}.tmp`)
    try {
      const lacks = async (file: { path: string; digest: string; bytes: number }) =>
        !(await isWhole(join(this.#paths.home, file.path), file))
      return await work(await remote.fetch(found, folder, lacks), remote.locate(found.key))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  /** By path, URI or name. Throws NOT_FOUND. */
  async #find(reference: string | undefined): Promise<StoredBackup | RemoteBackup> {
    const { backups } = this.#paths
    if (reference !== undefined && /[/\\]|\.db$|\.json$/.test(reference) && !/^(s3|file):/.test(reference))
      return existingFile(resolve(reference.replace(/\.json$/, '.db')))
    const here = readBackups(backups)
    const local = reference === undefined ? here[0] : here.find(({ name }) => name === reference)
    if (local) return local
    const storage = await this.#openRemote()
    const there = ((await storage?.list()) ?? []).sort(newestFirst)
    const remote =
      reference === undefined
        ? there[0]
        : there.find(({ name, key }) => name === reference || storage!.locate(key) === reference)
    if (remote) return remote
    throw new HostingError(
      'NOT_FOUND',
      reference === undefined
        ? `There is no backup in ${backups}${storage ? ' or in the storage of MCP_BACKUP' : ''}.`
        : `There is no backup "${reference}".`,
      { next: [{ description: 'See the backups', command: 'mcp daemon backup --list' }] },
    )
  }

  #note(status: { [Key in 'name' | 'sentTo' | 'error']?: string | undefined }): void {
    try {
      const text = JSON.stringify({
        at: new Date().toISOString(),
        version: VERSION,
        ...status,
      } satisfies BackupStatus)
      writeFileAtomic(join(this.#paths.backups, 'status.json'), `${text}\n`)
    } catch {
      // A full disk: the error itself is reported.
    }
  }
}

function existingFile(file: string): StoredBackup {
  if (existsSync(file)) return readBackup(file)
  throw new HostingError('NOT_FOUND', `There is no file ${file}.`)
}

function entryOf(manifest: Manifest, file: string): BackupEntry {
  const { name, reason, createdAt, version, database, files, missing } = manifest
  const bytes = files.reduce((sum, one) => sum + one.bytes, database.bytes)
  return { name, file, reason, createdAt, version, bytes, files: files.length, missing: missing.length }
}
