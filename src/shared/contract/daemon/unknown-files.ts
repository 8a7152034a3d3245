/** Number of days for which files unknown to the database are kept. */
export const KEPT_UNKNOWN_DAYS = 7

/** `packages`: npm packages that no server has used for 90 days. */
const UNKNOWN_KINDS = ['artifacts', 'sources', 'program-sources', 'programs', 'packages', 'logs'] as const
export type UnknownKind = (typeof UNKNOWN_KINDS)[number]

/** Content of `unknown-files.json`: files and folders of the home that are unknown to the database. */
export interface UnknownFilesRecord {
  /** Time of the last check. */
  lookedAt: string
  /** Files by `<kind>/<name>`. */
  files: Record<string, UnknownFile>
}

export interface UnknownFile {
  bytes: number
  /** Time of the first check that found it. */
  since: string
  /** Time since then. Each check adds at most one day, because the clock may jump. */
  keptMs: number
}
