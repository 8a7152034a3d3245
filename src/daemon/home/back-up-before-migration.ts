import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { HostingError } from '../../shared/errors.ts'
import type { Backups } from '../services/backups/backups.ts'
import { SCHEMA_VERSION } from '../store/migrate.ts'

/** https://sqlite.org/fileformat.html#user_version_number */
const USER_VERSION_OFFSET = 60

/**
 * Backs up a database of an older schema before it is migrated. Throws UNAVAILABLE, and changes nothing, when the backup fails.
 */
export async function backUpBeforeMigration(database: string, backups: Backups): Promise<void> {
  const version = readUserVersion(database)
  if (version === 0 || version >= SCHEMA_VERSION) return
  try {
    await backups.create('migration')
  } catch (cause) {
    const { message, details, next } = cause as HostingError
    throw new HostingError(
      'UNAVAILABLE',
      `The database ${database} was not migrated, because its backup failed: ${message}`,
      { details, next, cause },
    )
  }
}

/** Schema version from the file's header, without opening the database. 0 for a file that is missing or no database. */
function readUserVersion(database: string): number {
  if (!statSync(database, { throwIfNoEntry: false })?.size) return 0
  const descriptor = openSync(database, 'r')
  try {
    const header = Buffer.alloc(100)
    const isWhole = readSync(descriptor, header, 0, 100, 0) === 100
    return isWhole && header.toString('latin1', 0, 15) === 'SQLite format 3'
      ? header.readUInt32BE(USER_VERSION_OFFSET)
      : 0
  } finally {
    closeSync(descriptor)
  }
}
