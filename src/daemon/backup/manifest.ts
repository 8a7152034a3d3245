import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { BackupReason } from '../../shared/backups.ts'

/** A file of a backup, by its path below `objects/` and below the home: `artifacts/<digest>.json`. */
export interface BackedUpFile {
  path: string
  /** SHA-256. */
  digest: string
  bytes: number
}

/** Everything that belongs to one backup. It is written last, so a backup that has one is whole. */
export interface Manifest {
  format: 1
  /** `daemon-2026-03-01T12-00-00-000Z`; names of its database and manifest. */
  name: string
  /** Counts up with each backup of a home, whatever the clock says. */
  sequence: number
  createdAt: string
  reason: BackupReason
  /** Version of the program that made it. */
  version: string
  databaseId: string
  /** Check value of the `secret.key` that it was encrypted with. Null for databases of older versions. */
  keyCheck: string | null
  database: { digest: string; bytes: number }
  files: BackedUpFile[]
  /** Paths of files that the database refers to and that were not there, or were damaged. */
  missing: string[]
}

/** Older backups have no reason and no manifest. */
export const BACKUP_NAME = /^daemon-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/

export function backupName(createdAt: string): string {
  return `daemon-${createdAt.replace(/[:.]/g, '-')}`
}

/** With a checksum, so that a damaged manifest is never followed. */
export function renderManifest(manifest: Manifest): string {
  const text = JSON.stringify(manifest)
  return `${JSON.stringify({ checksum: sha256(text), manifest })}\n`
}

/** A backup may come from elsewhere, and a checksum is no signature: no path leads out of these folders. */
const FILE_PATH = /^(?:artifacts|sources|config)\/[a-z0-9][\w-]*(?:\.[a-z0-9]+)*$/

/** Undefined for anything that is not a whole manifest of files in the folders of a home. */
export function parseManifest(text: string): Manifest | undefined {
  try {
    const { checksum, manifest } = JSON.parse(text) as { checksum: string; manifest: Manifest }
    const isWhole = manifest.format === 1 && sha256(JSON.stringify(manifest)) === checksum
    return isWhole && manifest.files.every(({ path }) => FILE_PATH.test(path)) ? manifest : undefined
  } catch {
    return undefined
  }
}

/** A backup in a folder. Without a manifest it is the database alone. */
export interface StoredBackup {
  name: string
  /** Path of its database. */
  file: string
  manifest: Manifest | undefined
}

/** Backups of a folder, newest first. */
export function readBackups(folder: string): StoredBackup[] {
  const names = namesIn(folder).flatMap(name => (/\.db$/.test(name) ? basename(name, '.db') : []))
  return names
    .filter(name => BACKUP_NAME.test(name))
    .map(name => readBackup(join(folder, `${name}.db`)))
    .sort(newestFirst)
}

/** A backup by the path of its database. */
export function readBackup(file: string): StoredBackup {
  return { name: basename(file, '.db'), file, manifest: manifestBeside(file) }
}

function manifestBeside(file: string): Manifest | undefined {
  try {
    return parseManifest(readFileSync(file.replace(/\.db$/, '.json'), 'utf8'))
  } catch {
    return undefined
  }
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
