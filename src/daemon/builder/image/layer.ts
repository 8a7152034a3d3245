import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import type { Blobs, Descriptor } from './blobs.ts'

const GZIPPED_TAR = 'application/vnd.oci.image.layer.v1.tar+gzip'
/** The default level takes twenty times as long for layers that are a fifth smaller. */
const GZIP_LEVEL = 1

/** File, folder or symbolic link of a layer. */
export interface LayerEntry {
  /** Relative to the image's root, with `/` as the separator. */
  path: string
  /** Permission bits. Default: 0644 for files, 0755 for folders. */
  mode?: number
  /** Content of a file, or path of a local file. A folder has neither. */
  content?: string | Buffer
  file?: string
  /** Target of a symbolic link. */
  link?: string
}

export interface Layer extends Descriptor {
  /** Digest of the uncompressed tar. */
  diffId: string
}

/**
 * Packs a layer. Equal entries result in equal bytes: sorted by path, owned by root, dated 1 January 1970
 * (https://reproducible-builds.org/docs/archives/). Parent folders are added automatically.
 */
export async function writeLayer(blobs: Blobs, entries: LayerEntry[]): Promise<Layer> {
  const diff = createHash('sha256')
  const archive = pack()
  const compressed = createGzip({ level: GZIP_LEVEL })
  archive.on('data', chunk => diff.update(chunk as Buffer))
  archive.on('error', error => compressed.destroy(error))
  archive.pipe(compressed)
  const [descriptor] = await Promise.all([blobs.write(GZIPPED_TAR, compressed), fill(archive, entries)])
  return { ...descriptor, diffId: `sha256:${diff.digest('hex')}` }
}

async function fill(archive: ReturnType<typeof pack>, entries: LayerEntry[]): Promise<void> {
  try {
    for (const entry of withFolders(entries)) await add(archive, entry)
    archive.finalize()
  } catch (error) {
    archive.destroy(error as Error)
    throw error
  }
}

/** Waits for the archive's reader, so that a large base is not in memory twice. */
function add(archive: ReturnType<typeof pack>, entry: LayerEntry): Promise<void> {
  const { path: name, link, file } = entry
  const type = link === undefined ? (isFolder(entry) ? 'directory' : 'file') : 'symlink'
  const mode = entry.mode ?? (type === 'directory' ? 0o755 : 0o644)
  const owner = { uid: 0, gid: 0, uname: '', gname: '', mtime: new Date(0) }
  const content = file === undefined ? entry.content : readFileSync(file)
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => (error ? reject(error) : resolve())
    const header = { name, mode, type, linkname: link, ...owner } as const
    if (type === 'file') archive.entry(header, content as Buffer, done)
    else archive.entry(header, done)
  })
}

function withFolders(entries: LayerEntry[]): LayerEntry[] {
  const byPath = new Map<string, LayerEntry>()
  for (const { path } of entries) {
    const parts = path.split('/').slice(0, -1)
    parts.forEach((_, index) => {
      const folder = parts.slice(0, index + 1).join('/')
      if (!byPath.has(folder)) byPath.set(folder, { path: folder })
    })
  }
  for (const entry of entries) byPath.set(entry.path, entry)
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

function isFolder({ content, file, link }: LayerEntry): boolean {
  return content === undefined && file === undefined && link === undefined
}
