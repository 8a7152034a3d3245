import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BackupReason } from '../../shared/contract/daemon/backups.ts'

/** A file in a backup. Its path is the same below `objects/` and below the home, for example `artifacts/<digest>.json`. */
export interface BackedUpFile {
  path: string
  /** SHA-256. */
  digest: string
  bytes: number
}

/** Contents of a backup. The manifest is written last, so a backup that has one is complete. */
export interface Manifest {
  format: 1
  /** Name of the backup's database and manifest, such as `daemon-2026-03-01T12-00-00-000Z`. */
  name: string
  /** Increases with each backup of a home, independent of the clock. */
  sequence: number
  createdAt: string
  reason: BackupReason
  /** Version of the program that made the backup. */
  version: string
  databaseId: string
  /** Check value for the database's `secret.key`. Null for databases from older versions. */
  keyCheck: string | null
  database: { digest: string; bytes: number }
  files: BackedUpFile[]
  /**
   * Digests of stores and program files, by their path below the home's folder `state`. Their objects are in `files`. Absent in
   * backups from older versions.
   */
  state?: Record<string, string>
  /** Paths of missing or damaged files that the database refers to. */
  missing: string[]
}

/** Name of a backup. Backups from older versions have such a name but no manifest. */
const BACKUP_NAME = /^daemon-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/

export function backupName(createdAt: string): string {
  return `daemon-${createdAt.replace(/[:.]/g, '-')}`
}

/** JSON of the manifest with a checksum that detects damage. */
export function renderManifest(manifest: Manifest): string {
  const text = JSON.stringify(manifest)
  return `${JSON.stringify({ checksum: sha256(text), manifest })}\n`
}

/** Rejects paths outside these folders, because a backup may come from another machine and the checksum is not a signature. */
export const FILE_PATH = /^(?:artifacts|sources|config|state)\/[a-z0-9][\w-]*(?:\.[a-z0-9]+)*$/

/** Path of a store or a program file: `<server>/<environment>/…`. */
const STATE_PATH = /^(?!(?:.*\/)?\.{1,2}(?:\/|$))[^/\0]+\/[a-z]+\/(?:store\.db|files(?:\/[^/\0]+)+)$/

/** Undefined for a damaged manifest, one in another format, or one with paths outside the home's folders. */
export function parseManifest(text: string): Manifest | undefined {
  try {
    const { checksum, manifest } = JSON.parse(text) as { checksum: string; manifest: Manifest }
    const isWhole = manifest.format === 1 && sha256(JSON.stringify(manifest)) === checksum
    const isInside =
      manifest.files.every(({ path }) => FILE_PATH.test(path)) &&
      Object.entries(manifest.state ?? {}).every(
        ([path, digest]) => STATE_PATH.test(path) && /^[0-9a-f]{64}$/.test(digest),
      )
    return isWhole && isInside ? manifest : undefined
  } catch {
    return undefined
  }
}

export interface StoredBackup {
  name: string
  /** Path of the backup's database. */
  file: string
  /** Undefined when the manifest is missing or damaged. The backup's files and their digests are then unknown. */
  manifest: Manifest | undefined
}

/** Backups in a folder, newest first. */
export function readBackups(folder: string): StoredBackup[] {
  const names = namesIn(folder).flatMap(name => (/\.db$/.test(name) ? basename(name, '.db') : []))
  return names
    .filter(name => BACKUP_NAME.test(name))
    .map(name => readBackup(join(folder, `${name}.db`)))
    .sort(newestFirst)
}

/** Reads a backup by the path of its database. */
export function readBackup(file: string): StoredBackup {
  return { name: basename(file, '.db'), file, manifest: readManifestOf(file) }
}

/**
 * The newest backup. Prefers backups with a manifest, because an interrupted backup has none. A backup with a damaged manifest
 * counts too, because silently restoring an older backup would lose changes.
 */
export function newestOf(backups: readonly StoredBackup[]): StoredBackup | undefined {
  const [newest] = backups
  const damaged = backups.find(hasDamagedManifest)
  return damaged && newest && damaged.name > newest.name ? damaged : newest
}

/** True for a manifest that exists and cannot be used. Copies of a database and interrupted backups have none. */
export function hasDamagedManifest({ file, manifest }: StoredBackup): boolean {
  return manifest === undefined && manifestPath(file) !== file && existsSync(manifestPath(file))
}

function readManifestOf(file: string): Manifest | undefined {
  try {
    return parseManifest(readFileSync(manifestPath(file), 'utf8'))
  } catch {
    return undefined
  }
}

function manifestPath(file: string): string {
  return file.replace(/\.db$/, '.json')
}

export function newestFirst(
  a: Pick<StoredBackup, 'name' | 'manifest'>,
  b: Pick<StoredBackup, 'name' | 'manifest'>,
): number {
  const sequence = (b.manifest?.sequence ?? 0) - (a.manifest?.sequence ?? 0)
  return sequence || (a.name < b.name ? 1 : -1)
}

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
