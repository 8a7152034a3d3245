import { existsSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import type {
  BackupEntry,
  BackupListing,
  BackupReason,
  BackupStatus,
  RestoreReport,
} from '../../shared/contract/daemon/backups.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { VERSION } from '../../shared/version.ts'
import { makeBackup } from './make-backup.ts'
import {
  type Manifest,
  newestFirst,
  newestOf,
  readBackup,
  readBackups,
  type StoredBackup,
} from './manifest.ts'
import type { RemoteBackup, RemoteBackups } from './remote-backups.ts'
import { type RestoreOptions, requireRestorable, restoreBackup } from './restore-backup.ts'
import { isWhole, verifyBackup } from './verify-backup.ts'

export interface CreatedBackup extends BackupEntry {
  /** URI of the copied manifest. */
  sentTo?: string
  /** Reason why the backup was not copied. The home has the backup anyway. */
  sendError?: string
}

/** Backups of a home, in its folder `backups` and in the storage set in `MCP_BACKUP`. */
export class HomeBackups {
  readonly #paths: HomePaths
  readonly #openRemote: () => Promise<RemoteBackups | undefined>

  /** `openRemote` throws for invalid settings. The home is backed up anyway. */
  constructor(paths: HomePaths, openRemote: () => Promise<RemoteBackups | undefined>) {
    this.#paths = paths
    this.#openRemote = openRemote
  }

  /** Creates, verifies and sends a backup. Throws UNAVAILABLE when the home could not be backed up. */
  async make(reason: BackupReason): Promise<CreatedBackup> {
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

  /** Lists backups in the home even if external storage cannot be read. */
  async list(): Promise<BackupListing> {
    const here = readBackups(this.#paths.backups).map(({ file, manifest, name }) =>
      manifest ? entryOf(manifest, file) : { name, file, bytes: statSync(file).size, files: 0, missing: 0 },
    )
    try {
      return { items: [...here, ...(await this.#listRemote())] }
    } catch (error) {
      return { items: here, storageError: (error as Error).message }
    }
  }

  async #listRemote(): Promise<BackupEntry[]> {
    const remote = await this.#openRemote()
    const there = (await remote?.list()) ?? []
    return there.map(({ manifest, key }) => entryOf(manifest, remote!.locate(key)))
  }

  /** Verifies every file of a backup, the newest by default. */
  async verify(reference: string | undefined): Promise<{ file: string; problems: string[] }> {
    const found = await this.#find(reference)
    if ('key' in found) {
      const remote = (await this.#openRemote())!
      return { file: remote.locate(found.key), problems: await remote.verify(found) }
    }
    return { file: found.file, problems: await verifyBackup(found) }
  }

  /** Performs the checks of `restore` without changing anything. Returns the backup that would be restored. */
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

  async #send(manifest: Manifest): Promise<Pick<CreatedBackup, 'sentTo' | 'sendError'>> {
    try {
      const remote = await this.#openRemote()
      return remote ? { sentTo: await remote.send(this.#paths.backups, manifest) } : {}
    } catch (error) {
      return { sendError: (error as Error).message }
    }
  }

  /** Runs `work` with a backup. Downloads a remote one first, without the files that the home already has. */
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

  /** Finds a backup by path, URI or name. Default: the newest in the home, or else in the storage. Throws NOT_FOUND. */
  async #find(reference: string | undefined): Promise<StoredBackup | RemoteBackup> {
    const { backups } = this.#paths
    if (reference !== undefined && /[/\\]|\.db$|\.json$/.test(reference) && !/^(s3|file):/.test(reference))
      return existingFile(resolve(reference.replace(/\.json$/, '.db')))
    const here = readBackups(backups)
    const local = reference === undefined ? newestOf(here) : here.find(({ name }) => name === reference)
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
        ? `There is no backup in ${backups}${storage ? ' or in the storage set in MCP_BACKUP' : ''}.`
        : `Backup "${reference}" does not exist.`,
      { next: [{ description: 'List the backups', command: 'mcp daemon backup --list' }] },
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
      // For example a full disk. The status is informational, and the caller reports a failed backup.
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
