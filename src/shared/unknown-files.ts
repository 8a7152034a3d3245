/** How long files that the database does not know are kept. */
export const KEPT_UNKNOWN_DAYS = 7

/** `packages`: npm packages that no server was started from for 90 days. */
export const UNKNOWN_KINDS = [
  'artifacts',
  'sources',
  'program-sources',
  'programs',
  'packages',
  'logs',
] as const
export type UnknownKind = (typeof UNKNOWN_KINDS)[number]

/** Content of `unknown-files.json`: files and folders of the home that the database does not know. */
export interface UnknownFilesRecord {
  /** When the daemon last looked. */
  lookedAt: string
  /** By `<kind>/<name>`. */
  files: Record<string, UnknownFile>
}

export interface UnknownFile {
  bytes: number
  /** When the daemon first saw that the database does not know it. */
  since: string
  /** How long it has been kept since then, as measured from look to look. */
  keptMs: number
}
