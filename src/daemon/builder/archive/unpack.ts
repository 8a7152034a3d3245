import {
  closeSync,
  copyFileSync,
  createWriteStream,
  openSync,
  readSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { HostingError } from '../../../shared/errors.ts'
import { type ArchiveFormat, type RawEntry, toArchiveError } from './archive-entry.ts'
import { type CheckedEntry, EntryTree } from './entry-tree.ts'
import { ARCHIVE_LIMITS, type ArchiveLimits } from './limits.ts'
import { readTar } from './read-tar.ts'
import { readZip } from './read-zip.ts'

/** Detects the format from the first bytes. Throws UNSUPPORTED_MEDIA_TYPE. */
export function detectFormat(path: string): ArchiveFormat {
  const start = readStart(path)
  if (start[0] === 0x1f && start[1] === 0x8b) return 'tar.gz'
  const signature = start.toString('latin1')
  // A local file header, or the end record of an empty archive.
  if (signature === 'PK\x03\x04' || signature === 'PK\x05\x06') return 'zip'
  throw new HostingError('UNSUPPORTED_MEDIA_TYPE', 'The source is neither a .tar.gz nor a .zip archive.', {
    details: start.length > 0 ? `Its first bytes are ${start.toString('hex')}.` : 'It is empty.',
  })
}

/** Validates an archive without unpacking it. Throws INVALID_REQUEST. */
export function checkArchive(
  path: string,
  format: ArchiveFormat,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<void> {
  return visitEntries(path, format, limits, async (entry, tree, raw) => {
    if (entry.type === 'file') for await (const chunk of raw.content()) tree.count(entry.path, chunk.length)
  })
}

/**
 * Unpacks into the empty folder `into` and returns the project's folder: the single top folder if it contains a project, as in
 * GitHub's archives, otherwise `into`. Modes are 0644, or 0755 for executables. Throws INVALID_REQUEST.
 * After an error, the caller must remove the files written so far.
 */
export async function unpackArchive(
  path: string,
  format: ArchiveFormat,
  into: string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<{ root: string }> {
  const links: { path: string; target: string }[] = []
  const made = new Set<string>()
  const wrap = { root: false }
  const makeFolder = async (folder: string) => {
    if (!made.has(folder)) await mkdir(folder, { recursive: true })
    made.add(folder)
  }
  await visitEntries(
    path,
    format,
    limits,
    async (entry, tree, raw) => {
      const to = join(into, entry.path)
      await makeFolder(entry.type === 'directory' ? to : dirname(to))
      if (entry.type === 'file') await writeEntry(to, entry, raw, tree)
      if (entry.type === 'hardlink') copyFileSync(join(into, entry.target!), to)
      if (entry.type === 'symlink') links.push({ path: to, target: entry.target! })
    },
    () => {
      wrap.root = true
    },
  )
  // Last, so that no file is written through a link.
  for (const link of links) symlinkSync(link.target, link.path)
  return { root: wrap.root ? into : await projectRoot(into) }
}

async function visitEntries(
  path: string,
  format: ArchiveFormat,
  limits: ArchiveLimits,
  take: (entry: CheckedEntry, tree: EntryTree, raw: RawEntry) => Promise<void>,
  onRoot: () => void = () => {},
): Promise<void> {
  const tree = new EntryTree(statSync(path).size, limits)
  const read = format === 'zip' ? readZip : readTar
  try {
    await read(path, async raw => {
      const entry = tree.add(raw)
      if (entry) await take(entry, tree, raw)
      else onRoot()
    })
    tree.checkLinks()
  } catch (error) {
    throw toArchiveError(error)
  }
}

/** Files up to this size are written in one step. */
const SMALL_BYTES = 1024 * 1024

async function writeEntry(to: string, entry: CheckedEntry, raw: RawEntry, tree: EntryTree): Promise<void> {
  // `wx` never follows a link and never replaces anything.
  const options = { flag: 'wx', mode: entry.executable ? 0o755 : 0o644 }
  const content = counted(entry.path, raw, tree)
  if (raw.size > SMALL_BYTES)
    return pipeline(Readable.from(content), createWriteStream(to, { flags: 'wx', mode: options.mode }))
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  await writeFile(to, Buffer.concat(chunks), options)
}

async function* counted(path: string, raw: RawEntry, tree: EntryTree): AsyncGenerator<Uint8Array> {
  for await (const chunk of raw.content()) {
    tree.count(path, chunk.length)
    yield chunk
  }
}

/** Names that occur only in the folder of a project. */
const PROJECT_MARKERS =
  /^(package\.json|mcp\.config\.\w+|pyproject\.toml|requirements\.txt|tools|resources|prompts)$/

async function projectRoot(into: string): Promise<string> {
  const [top, ...others] = await readdir(into, { withFileTypes: true })
  if (!top?.isDirectory() || others.length > 0 || PROJECT_MARKERS.test(top.name)) return into
  const inside = await readdir(join(into, top.name))
  return inside.some(name => PROJECT_MARKERS.test(name)) ? join(into, top.name) : into
}

function readStart(path: string): Buffer {
  const descriptor = openSync(path, 'r')
  try {
    const start = Buffer.alloc(4)
    return start.subarray(0, readSync(descriptor, start))
  } finally {
    closeSync(descriptor)
  }
}
