/** Why a backup was made. Seven are kept for each reason. */
export const BACKUP_REASONS = ['manual', 'daily', 'upgrade', 'migration'] as const
export type BackupReason = (typeof BACKUP_REASONS)[number]

export const KEPT_BACKUPS = 7

/** A backup, as the daemon and the command line show it. */
export interface BackupEntry {
  name: string
  /** Path of the database in the home, or URI of the manifest elsewhere. */
  file: string
  /** Undefined for a copy of the database alone, which older versions made. */
  reason?: BackupReason
  createdAt?: string
  version?: string
  /** Of the database and all files that it refers to. */
  bytes: number
  files: number
  /** Files that the database refers to and that were missing when it was made. */
  missing: number
}

/** Outcome of the last backup: `backups/status.json`. */
export interface BackupStatus {
  at: string
  /** Of the program that made it. */
  version: string
  name?: string | undefined
  /** Where it was sent in addition. */
  sentTo?: string | undefined
  error?: string | undefined
}

/** What a restore put in place. */
export interface RestoreReport {
  /** Path of the database that was there. */
  kept: string | null
  /** Files that were put back. */
  files: number
  wouldNotStart: UnstartableDeployment[]
}

export interface UnstartableDeployment {
  deployment_id: string
  name: string
  environment: string
  reason: string
}

/** What `mcp doctor` compares. */
export interface HomeInspection {
  /** Why the daemon does not start without its database. Undefined when the database is there, or the home is new. */
  lost?: string
  /** Whether `secret.key` is the one that the database was encrypted with. */
  key: 'fits' | 'missing' | 'wrong'
  /** Artifacts and sources that the database refers to and that are not there. */
  missing: string[]
  /** The newest backup in the home. */
  backup?: { name: string; file: string; createdAt?: string; isOfThisDatabase: boolean; missing: number }
}
