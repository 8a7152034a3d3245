import { HostingError } from '../../../shared/errors.ts'

export type ArchiveFormat = 'tar.gz' | 'zip'

/** Unchecked entry of an archive. */
export interface RawEntry {
  /** Name as stored in the archive. */
  name: string
  type: 'file' | 'directory' | 'symlink' | 'hardlink'
  /** Executable by its owner. */
  executable: boolean
  target?: string
  /** Size of a file as declared in the archive. */
  size: number
  content(): AsyncIterable<Uint8Array>
}

/** Called for one entry at a time. Readers wait for the returned promise. */
export type Visit = (entry: RawEntry) => Promise<void>

/** INVALID_REQUEST that names the entry. */
export function refuseEntry(name: string, why: string): HostingError {
  return new HostingError('INVALID_REQUEST', `The archive was rejected: "${shownName(name)}" ${why}.`)
}

/** INVALID_REQUEST about the archive as a whole. */
export function refuseArchive(why: string, cause?: unknown): HostingError {
  return new HostingError('INVALID_REQUEST', `The archive was rejected: it ${why}.`, { cause })
}

export function tooManyEntries(limit: number): HostingError {
  return refuseArchive(`has more than ${limit} entries`)
}

/** Parser errors mean a damaged archive. Our own errors and disk errors are returned unchanged. */
export function toArchiveError(error: unknown): unknown {
  if (error instanceof HostingError || (error as NodeJS.ErrnoException).syscall) return error
  return refuseArchive(`is damaged (${(error as Error).message})`, error)
}

function shownName(name: string): string {
  const plain = name.replace(/\p{Cc}/gu, '�')
  return plain.length > 120 ? `${plain.slice(0, 120)}…` : plain
}
