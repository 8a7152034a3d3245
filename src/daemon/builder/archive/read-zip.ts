import { text } from 'node:stream/consumers'
import type { Entry, ZipFile } from 'yauzl'
import { type RawEntry, refuseEntry, tooManyEntries, type Visit } from './archive-entry.ts'
import { checkEntryPath } from './entry-path.ts'
import { ARCHIVE_LIMITS } from './limits.ts'

/** Unix file types in the upper half of an entry's attributes, if the archive was created on Unix. */
const TYPE_MASK = 0o170000
const TYPES = new Map<number, RawEntry['type']>([
  [0o100000, 'file'],
  [0o040000, 'directory'],
  [0o120000, 'symlink'],
])
const MADE_ON_UNIX = 3
const MAX_TARGET_BYTES = 4096
/** yauzl's errors for names that it rejects. */
const REFUSED_NAME = /^(?:absolute path|invalid relative path|invalid characters in fileName): (.+)$/s

/** Calls `visit` for each entry of a .zip, one at a time. */
export async function readZip(path: string, visit: Visit): Promise<void> {
  // In a bundle, the lazy import of a CommonJS module only has a default export.
  const { default: yauzl } = await import('yauzl')
  // Without `strictFileNames`, yauzl would turn backslashes into slashes.
  const zip = await yauzl.openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: true })
  try {
    // A zip declares its number of entries. A mismatch means that it is damaged.
    if (zip.entryCount > ARCHIVE_LIMITS.entries) throw tooManyEntries(ARCHIVE_LIMITS.entries)
    for await (const entry of zip.eachEntry()) await visit(await toRaw(zip, entry))
  } catch (error) {
    const [, name] = REFUSED_NAME.exec((error as Error).message) ?? []
    // Rejects the name for the same reason, but with our message.
    if (name !== undefined) checkEntryPath(name)
    throw error
  } finally {
    zip.close()
  }
}

async function toRaw(zip: ZipFile, entry: Entry): Promise<RawEntry> {
  const name = entry.fileName
  if (entry.isEncrypted()) throw refuseEntry(name, 'is encrypted')
  if (!entry.canDecodeFileData())
    throw refuseEntry(name, `is compressed by method ${entry.compressionMethod}; only "deflate" is supported`)
  const mode = entry.versionMadeBy >>> 8 === MADE_ON_UNIX ? entry.externalFileAttributes >>> 16 : 0
  const type = typeOf(name, mode)
  const content = () => openEntry(zip, entry)
  if (type === 'symlink' && entry.uncompressedSize > MAX_TARGET_BYTES)
    throw refuseEntry(name, `is a link to a path longer than ${MAX_TARGET_BYTES} bytes`)
  return {
    name,
    type,
    executable: (mode & 0o100) !== 0,
    ...(type === 'symlink' ? { target: await text(content()) } : {}),
    size: entry.uncompressedSize,
    content,
  }
}

function typeOf(name: string, mode: number): RawEntry['type'] {
  if (name.endsWith('/')) return 'directory'
  const unixType = mode & TYPE_MASK
  if (unixType === 0) return 'file'
  const type = TYPES.get(unixType)
  if (!type) throw refuseEntry(name, 'is a device, a pipe or a socket')
  return type
}

async function* openEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  yield* await zip.openReadStreamPromise(entry)
}
