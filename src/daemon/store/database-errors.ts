import { HostingError } from '../../shared/errors.ts'

/**
 * SQLite's faults as sentences, told apart by result code (https://sqlite.org/rescode.html). Constraint violations are
 * CONFLICT; what is no fault of SQLite passes unchanged.
 */
export function toStoreError(error: unknown, path: string): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (error instanceof HostingError || typeof code !== 'string') return error
  const sentence = sentenceOf(code, path)
  if (sentence)
    return new HostingError('UNAVAILABLE', sentence.message, { details: sentence.next, cause: error })
  if (code.startsWith('SQLITE_CONSTRAINT'))
    return new HostingError('CONFLICT', 'Another change of the same record came first; look at it again.', {
      cause: error,
    })
  return error
}

/** SHMSIZE: the index of the write-ahead log could not grow (https://sqlite.org/rescode.html#ioerr_shmsize). */
const FULL = /^(?:SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/

function sentenceOf(code: string, path: string): { message: string; next: string } | undefined {
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
    return {
      message: `The database ${path} is damaged (${code}).`,
      next: 'Restore the last backup with `mcp daemon restore`. Without one, move the file away and run `mcp daemon start --new-database`; files of servers are kept for seven days.',
    }
  if (FULL.test(code))
    return {
      message: `The disk that holds ${path} is full: nothing was changed.`,
      next: 'Free some space and try again.',
    }
  if (/^SQLITE_(READONLY|CANTOPEN|PERM)|^(EACCES|EEXIST|ENOTDIR|EPERM|EROFS)$/.test(code))
    return {
      message: `The database ${path} cannot be written (${code}).`,
      next: 'Make the file and its folder writable, or set MCP_HOME to a folder that is.',
    }
  if (code.startsWith('SQLITE_IOERR'))
    return {
      message: `The disk failed while the database ${path} was used (${code}).`,
      next: 'Look at the disk and its free space, then try again.',
    }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return {
      message: `The database ${path} is in use by another program.`,
      next: 'End the program that holds it and try again.',
    }
  return undefined
}
