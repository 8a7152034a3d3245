import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { HostingError } from '../../shared/errors.ts'
import { checkDatabase } from '../store/check-database.ts'
import { toStoreError } from '../store/database-errors.ts'

/** Identity of a database and the files that it refers to. */
export interface DatabaseFacts {
  databaseId: string
  keyCheck: string | null
  /** Paths below the home. Omits bundles, because the artifact files refer to them. */
  artifacts: string[]
  sources: string[]
}

/** Copies the database of a daemon and checks every page of the copy. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  try {
    await copySqliteFile(from, to)
  } catch (error) {
    throw toStoreError(error, from)
  }
  const { problems } = checkDatabase(to)
  if (problems.length > 0)
    throw new HostingError('UNAVAILABLE', `The database ${from} is damaged: ${problems[0]}.`, {
      next: [{ description: 'Check the installation', command: 'mcp doctor' }],
    })
}

/** Copies an SQLite database, which may be in use, to one file without a write-ahead log. */
export async function copySqliteFile(from: string, to: string): Promise<void> {
  const connection = new BetterSqlite3(from, { fileMustExist: true, timeout: 5000 })
  try {
    await connection.backup(to)
  } finally {
    connection.close()
  }
  makeSingleFile(to)
}

/** Merges a copy's write-ahead log into the copy and flushes the copy to disk. */
export function makeSingleFile(file: string): void {
  const connection = new BetterSqlite3(file, { fileMustExist: true })
  connection.pragma('journal_mode = DELETE')
  connection.close()
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
  flush(file)
}

export function flush(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Reads an intact database of this or an older version. */
export function readFacts(file: string): DatabaseFacts {
  return withConnection(file, connection => {
    const facts = new Map(
      rows<{ name: string; value: string }>(connection, 'facts', 'SELECT name, value FROM facts').map(
        ({ name, value }) => [name, value],
      ),
    )
    const artifacts = "SELECT DISTINCT digest FROM builds WHERE status = 'ready' AND digest IS NOT NULL"
    const sources = 'SELECT DISTINCT digest, format FROM sources'
    return {
      databaseId: facts.get('database_id') ?? 'unknown',
      keyCheck: facts.get('key_check') ?? null,
      artifacts: rows<{ digest: string }>(connection, 'builds', artifacts).map(
        ({ digest }) => `artifacts/${digest}.json`,
      ),
      sources: rows<{ digest: string; format: string }>(connection, 'sources', sources).map(
        ({ digest, format }) => `sources/${digest}.${format}`,
      ),
    }
  })
}

export interface DeployedBuild {
  deployment_id: string
  name: string
  environment: string
  digest: string | null
  source_digest: string | null
  template: string
  sealed: number
}

/** Deployments that the daemon will start. */
export function readDeployed(file: string): DeployedBuild[] {
  return withConnection(file, connection =>
    rows<DeployedBuild>(
      connection,
      'deployments',
      `SELECT deployments.id AS deployment_id, deployments.name, environment, digest, source_digest, template,
         deployments.env IS NOT NULL AS sealed
       FROM deployments JOIN builds ON builds.id = mcp_id WHERE deployments.status = 'deployed'
       ORDER BY deployments.name, environment`,
    ),
  )
}

function withConnection<T>(file: string, work: (connection: BetterSqlite3.Database) => T): T {
  try {
    const connection = new BetterSqlite3(file, { readonly: existsSync(`${file}-wal`), fileMustExist: true })
    try {
      return work(connection)
    } finally {
      connection.close()
    }
  } catch (error) {
    throw toStoreError(error, file)
  }
}

/** Empty if the schema is too old to have the table. */
function rows<Row>(connection: BetterSqlite3.Database, table: string, sql: string): Row[] {
  const exists = connection
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
    .get(table)
  return exists ? (connection.prepare(sql).all() as Row[]) : []
}
