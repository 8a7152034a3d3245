import { HostingError } from '../../../shared/errors.ts'

export type ArchiveFormat = 'tar.gz' | 'zip'

/** One entry as an archive tells it: nothing of it is checked yet. */
export interface RawEntry {
  /** As it stands in the archive. */
  name: string
  type: 'file' | 'directory' | 'symlink' | 'hardlink'
  /** The owner may execute it. */
  executable: boolean
  /** Of links: what they lead to. */
  target?: string
  /** Of files: as announced. */
  size: number
  content(): AsyncIterable<Uint8Array>
}

/** Takes one entry after the other; a reader waits for it. */
export type Visit = (entry: RawEntry) => Promise<void>

/** INVALID_REQUEST that names the entry. */
export function refuseEntry(name: string, why: string): HostingError {
  return new HostingError('INVALID_REQUEST', `The archive is refused: "${shown(name)}" ${why}.`)
}

/** INVALID_REQUEST about the archive as a whole. */
export function refuseArchive(why: string, cause?: unknown): HostingError {
  return new HostingError('INVALID_REQUEST', `The archive is refused: it ${why}.`, { cause })
}

export function tooManyEntries(limit: number): HostingError {
  return refuseArchive(`has more than ${limit} entries`)
}

/** Faults of the parsers are the archive's; ours and the disk's stay what they are. */
export function toArchiveError(error: unknown): unknown {
  if (error instanceof HostingError || (error as NodeJS.ErrnoException).syscall) return error
  return refuseArchive(`is damaged (${(error as Error).message})`, error)
}

function shown(name: string): string {
  const plain = name.replace(/\p{Cc}/gu, '�')
  return plain.length > 120 ? `${plain.slice(0, 120)}…` : plain
}
