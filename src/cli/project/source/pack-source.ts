import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { SOURCE_LIMIT_BYTES } from '../../../shared/contract/projects/source-limit.ts'
import { HostingError } from '../../../shared/errors.ts'
import { listSourceFiles, type SourceFile } from './source-files.ts'

/** Packing is retried, because editors that save a file truncate it and remove temporary files. */
const MAX_ATTEMPTS = 5
/** A file disappeared, or became shorter while it was read. */
const CHANGE_CODES = ['ENOENT', 'EOF']

export interface PackedSource {
  file: string
  contentType: 'application/gzip' | 'application/zip'
  /** SHA-256, hexadecimal. Equal for equal files. */
  digest: string
  bytes: number
  remove(): void
}

/**
 * Packs a project folder, sorted and without times, owners or the machine's name, so that equal files give equal bytes.
 * Throws INVALID_REQUEST for an empty source and PAYLOAD_TOO_LARGE listing the largest files.
 */
export async function packSource(directory: string): Promise<PackedSource> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-source-'))
  const remove = () => {
    process.off('exit', remove)
    rmSync(folder, { recursive: true, force: true })
  }
  // A second Ctrl-C exits immediately.
  process.once('exit', remove)
  try {
    const file = join(folder, 'source.tar.gz')
    const written = await packUntilStable(directory, file)
    return { file, contentType: 'application/gzip', ...written, remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** An existing archive, sent unchanged and not removed. */
export async function openArchive(file: string): Promise<PackedSource> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    hash.update(chunk)
  }
  const contentType = /\.zip$/i.test(file) ? 'application/zip' : 'application/gzip'
  return { file, contentType, digest: hash.digest('hex'), bytes, remove: () => {} }
}

/** Lists and packs again while files change. Throws CONFLICT after the last attempt. */
async function packUntilStable(directory: string, to: string): ReturnType<typeof writeArchive> {
  for (let attempt = 1; ; attempt++)
    try {
      return await writeArchive(directory, listSourceFiles(directory), to)
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException
      if (!CHANGE_CODES.includes(code)) throw error
      if (attempt === MAX_ATTEMPTS)
        throw new HostingError('CONFLICT', `${directory} keeps changing while it is packed: ${message}.`, {
          cause: error,
          next: [{ description: 'Run the command again when no program is writing to the folder' }],
        })
    }
}

async function writeArchive(
  directory: string,
  files: SourceFile[],
  to: string,
): Promise<{ digest: string; bytes: number }> {
  const { create } = await import('tar')
  const options = { cwd: directory, gzip: true, portable: true, mtime: new Date(0), noDirRecurse: true }
  // The root is the first entry, so that no folder is stripped. Names that start with "./" cannot be parsed as options.
  const archive = create(options, ['./', ...files.map(({ path }) => `./${path}`)])
  // The first error ends the loop below. A second one would have no listener.
  archive.on('error', () => {})
  const hash = createHash('sha256')
  let bytes = 0
  async function* hashed(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > SOURCE_LIMIT_BYTES) throw tooLarge(files)
      hash.update(chunk)
      yield chunk
    }
  }
  await pipeline(hashed(archive as AsyncIterable<Buffer>), createWriteStream(to, { mode: 0o600 }))
  return { digest: hash.digest('hex'), bytes }
}

function tooLarge(files: SourceFile[]): HostingError {
  const largest = files.toSorted((a, b) => b.bytes - a.bytes).slice(0, 3)
  const named = largest.map(({ path, bytes }) => `${path} (${Math.round(bytes / 1024 / 1024)} MiB)`)
  return new HostingError(
    'PAYLOAD_TOO_LARGE',
    'The packed project is larger than 100 MiB, the limit for a source.',
    {
      details: `largest: ${named.join(', ')}\nAdd files that the server does not need to .mcpignore.`,
    },
  )
}
