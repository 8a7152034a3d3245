export const BACKUP_REASONS = ['manual', 'daily', 'upgrade', 'migration'] as const
export type BackupReason = (typeof BACKUP_REASONS)[number]

/** Number of backups kept for each reason. */
export const KEPT_BACKUPS = 7

/** A backup, as the daemon and the command line show it. */
export interface BackupEntry {
  name: string
  /** Path of the database in the home, or URI of the manifest elsewhere. */
  file: string
  /** Undefined for backups made by older versions, which contain only the database. */
  reason?: BackupReason
  createdAt?: string
  version?: string
  /** Size of the database and all files that it refers to. */
  bytes: number
  files: number
  /** Number of missing files that the database refers to. */
  missing: number
}

export interface BackupListing {
  /** Backups in the home, then backups in external storage. */
  items: BackupEntry[]
  /** Why external storage could not be read. Absent otherwise. */
  storageError?: string
}

/** Outcome of the last backup: `backups/status.json`. */
export interface BackupStatus {
  at: string
  /** Version of the program that created it. */
  version: string
  name?: string | undefined
  /** URI of its manifest in external storage. */
  sentTo?: string | undefined
  error?: string | undefined
}

export interface RestoreReport {
  /** Path of the previous database. */
  kept: string | null
  /** Number of restored files. */
  files: number
  wouldNotStart: IncompleteDeployment[]
  /**
   * Deployments whose installed package or image is not part of a backup. They only start if that package or image can be
   * downloaded.
   */
  needBuild: IncompleteDeployment[]
}

export interface IncompleteDeployment {
  deployment_id: string
  name: string
  environment: string
  reason: string
}

/** Facts for `mcp doctor`. */
export interface HomeInspection {
  /** Whether `secret.key` decrypts the secrets in the database. */
  key: 'fits' | 'missing' | 'wrong'
  /** Missing artifacts and sources that the database refers to. */
  missing: string[]
  /** The newest backup in the home. */
  backup?: {
    name: string
    file: string
    createdAt?: string
    /** False for a manifest that is missing or damaged. */
    hasManifest: boolean
    isOfThisDatabase: boolean
    missing: number
  }
}
