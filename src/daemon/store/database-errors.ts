import { HostingError } from '../../shared/errors.ts'

/**
 * Turns SQLite errors into HostingErrors by result code (https://sqlite.org/rescode.html). Constraint violations become CONFLICT,
 * and failures of the file or the disk become UNAVAILABLE. Returns other errors unchanged.
 */
export function toStoreError(error: unknown, path: string): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (error instanceof HostingError || typeof code !== 'string') return error
  const known = describeCode(code, path)
  if (known) return new HostingError('UNAVAILABLE', known.message, { details: known.next, cause: error })
  if (code.startsWith('SQLITE_CONSTRAINT'))
    return new HostingError('CONFLICT', 'Another request changed the same record first. Read it again.', {
      cause: error,
    })
  return error
}

/** SHMSIZE: the index of the write-ahead log could not grow (https://sqlite.org/rescode.html#ioerr_shmsize). */
const FULL_DISK_CODE = /^(?:SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/

function describeCode(code: string, path: string): { message: string; next: string } | undefined {
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
    return {
      message: `The database ${path} is damaged (${code}).`,
      next: 'Restore the last backup with `mcp daemon restore`. Without one, stop the daemon, move the file away and run `mcp daemon start --new-database`. The daemon keeps the files of the old servers for seven days.',
    }
  if (FULL_DISK_CODE.test(code))
    return {
      message: `The disk that holds ${path} is full. Nothing was changed.`,
      next: 'Free some space and try again.',
    }
  if (/^SQLITE_(READONLY|CANTOPEN|PERM)|^(EACCES|EEXIST|ENOTDIR|EPERM|EROFS)$/.test(code))
    return {
      message: `The database ${path} cannot be written (${code}).`,
      next: 'Make the file and its folder writable, or set MCP_HOME to a folder that is.',
    }
  if (code.startsWith('SQLITE_IOERR'))
    return {
      message: `The disk of the database ${path} failed (${code}).`,
      next: 'Check the disk and its free space, then try again.',
    }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return {
      message: `The database ${path} is in use by another program.`,
      next: 'Stop the program that uses it, then try again.',
    }
  return undefined
}
