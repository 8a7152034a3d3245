import { existsSync, readdirSync, renameSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { counted } from '../../shared/counted.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'

/**
 * Rejects a used home without its database, because all servers would silently be missing. `isNew` accepts such a home. Throws
 * UNAVAILABLE, and CONFLICT when `isNew` is set but there is a database.
 */
export function requireDatabase(paths: HomePaths, { isNew = false } = {}): void {
  const size = statSync(paths.database, { throwIfNoEntry: false })?.size
  if (size && !isBlank(paths.database)) {
    if (isNew) throw existingDatabase(paths)
    return
  }
  const traces = tracesIn(paths)
  if (traces.length === 0) return
  if (!isNew) throw lostDatabase(paths, size, traces)
  setAsideEmpty(paths.database)
}

/** Whether the file is an empty database or belongs to another program. A damaged file is reported when it is opened. */
function isBlank(file: string): boolean {
  try {
    // Without a write-ahead log, a read-only connection would leave its own log files behind.
    const readonly = existsSync(`${file}-wal`)
    const connection = new BetterSqlite3(file, { readonly, fileMustExist: true })
    try {
      return connection.pragma('user_version', { simple: true }) === 0
    } finally {
      connection.close()
    }
  } catch {
    return false
  }
}

/** Files that only a used home has, as phrases such as "3 artifacts". */
function tracesIn(paths: HomePaths): string[] {
  const { artifacts, sources, programSources, programs, backups, secretKey, database } = paths
  const counts: [found: number, what: string][] = [
    [count(artifacts, /\.json$/), 'artifact'],
    [count(sources, /\.(?:tar\.gz|zip)$/), 'source archive'],
    [count(programSources, /^[0-9a-f]{64}$/), 'unpacked source'],
    [count(programs, /./), 'program folder'],
    [count(backups, /\.db$/), 'backup'],
    [count(dirname(database), new RegExp(`^${basename(database)}\\.replaced-.*Z$`)), 'replaced database'],
    [existsSync(secretKey) ? 1 : 0, 'key file'],
  ]
  return counts.filter(([found]) => found > 0).map(([found, what]) => counted(found, what))
}

function count(folder: string, pattern: RegExp): number {
  try {
    return readdirSync(folder).filter(name => pattern.test(name)).length
  } catch {
    return 0 // the folder does not exist
  }
}

/**
 * Renames the files of a lost database, because its write-ahead log may contain the last changes, and SQLite would delete it.
 */
function setAsideEmpty(database: string): void {
  const kept = `${database}.replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(database + suffix)) renameSync(database + suffix, kept + suffix)
}

function lostDatabase(paths: HomePaths, size: number | undefined, traces: string[]): HostingError {
  const state = stateOf(size)
  return new HostingError(
    'UNAVAILABLE',
    `The database ${paths.database} ${state}, but this home was in use. It has ${traces.join(', ')}.`,
    {
      details: 'The daemon does not start without its database. Nothing was changed.',
      next: [
        { description: 'Restore the last backup', command: 'mcp daemon restore' },
        { description: 'Or restore the file from your own copy while the daemon is stopped, then start it' },
        {
          description: 'Or start without servers. Unknown files are kept for seven days',
          command: 'mcp daemon start --new-database',
        },
      ],
    },
  )
}

function stateOf(size: number | undefined): string {
  if (size === undefined) return 'is missing'
  return size === 0 ? 'is empty (0 bytes)' : 'is not the database of a daemon'
}

function existingDatabase({ database }: HomePaths): HostingError {
  return new HostingError(
    'CONFLICT',
    `The database ${database} exists. --new-database does not replace it.`,
    {
      next: [
        { description: 'Start with this database', command: 'mcp daemon start' },
        {
          description: 'Or stop the daemon and move the database away, together with its -wal and -shm files',
        },
      ],
    },
  )
}
