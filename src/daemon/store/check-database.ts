import { existsSync, statSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'

/** State of a database file. */
export interface DatabaseCheck {
  bytes: number
  /** Size of the write-ahead log. */
  walBytes: number
  /** SQLite's own messages. Empty for an intact file. */
  problems: string[]
}

const MAX_PROBLEMS = 20
/** Larger files get the quick check, which skips the comparison of indexes with their tables, because that takes seconds. */
const QUICK_ABOVE_BYTES = 256 * 1024 * 1024

/** Reads the whole file, even while a daemon uses it. Throws when the file is missing or unreadable. */
export function checkDatabase(path: string): DatabaseCheck {
  const { size: bytes } = statSync(path)
  const walBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return { bytes, walBytes, problems: findProblems(path, bytes) }
}

function findProblems(path: string, bytes: number): string[] {
  // With a write-ahead log, the file belongs to a running or crashed daemon and must not change. Without one,
  // a read-only connection would leave its own log files behind.
  const readonly = existsSync(`${path}-wal`)
  const connection = new BetterSqlite3(path, { readonly, fileMustExist: true, timeout: 5000 })
  try {
    // https://sqlite.org/pragma.html#pragma_integrity_check
    const check = bytes > QUICK_ABOVE_BYTES ? 'quick_check' : 'integrity_check'
    const rows = connection.pragma(`${check}(${MAX_PROBLEMS})`) as Record<string, string>[]
    const problems = rows.map(row => row[check]!).filter(text => text !== 'ok')
    return problems.length > 0 || isOurs(connection) ? problems : ['it is not the database of a daemon']
  } catch (error) {
    if (!isDamage(error)) throw error
    return [(error as Error).message]
  } finally {
    connection.close()
  }
}

/** True for a daemon's database. SQLite considers even an empty file an intact database. */
function isOurs(connection: BetterSqlite3.Database): boolean {
  const table = connection
    .prepare("select 1 from sqlite_schema where type = 'table' and name = 'deployments'")
    .get()
  return table !== undefined
}

/** https://sqlite.org/rescode.html */
function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { code?: unknown }).code))
}
