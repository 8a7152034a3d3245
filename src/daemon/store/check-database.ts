import { existsSync, statSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'

/** What `mcp doctor` hears of a database file. */
export interface DatabaseCheck {
  bytes: number
  /** Of the write-ahead log beside it. */
  walBytes: number
  /** SQLite's own sentences; empty for a sound file. */
  problems: string[]
}

const MOST_PROBLEMS = 20
/** Above it, only the structure is looked at, not whether the indexes agree with their tables: that takes seconds. */
const QUICK_ABOVE_BYTES = 256 * 1024 * 1024

/** Reads all of it, beside a daemon that uses it. Throws when there is no such file, or it cannot be read. */
export function checkDatabase(path: string): DatabaseCheck {
  const { size: bytes } = statSync(path)
  const walBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return { bytes, walBytes, problems: problemsOf(path, bytes) }
}

function problemsOf(path: string, bytes: number): string[] {
  // Of a daemon that runs or crashed nothing is changed. Where none does, a reader alone would leave the files that it makes beside it.
  const readonly = existsSync(`${path}-wal`)
  const connection = new BetterSqlite3(path, { readonly, fileMustExist: true, timeout: 5000 })
  try {
    // https://sqlite.org/pragma.html#pragma_integrity_check
    const check = bytes > QUICK_ABOVE_BYTES ? 'quick_check' : 'integrity_check'
    const rows = connection.pragma(`${check}(${MOST_PROBLEMS})`) as Record<string, string>[]
    const problems = rows.map(row => row[check]!).filter(text => text !== 'ok')
    return problems.length > 0 || isOurs(connection) ? problems : ['it is no database of a daemon']
  } catch (error) {
    if (!isDamage(error)) throw error
    return [(error as Error).message]
  } finally {
    connection.close()
  }
}

/** A file of no bytes is a sound database to SQLite. */
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
