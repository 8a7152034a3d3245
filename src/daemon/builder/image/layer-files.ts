import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import type { Blobs } from './blobs.ts'
import type { ImagePaths } from './image-paths.ts'
import type { Layer } from './layer.ts'
import { malformedImage } from './manifest.ts'

/** Maximum number of entries in a base image. Far above what real images need, and safe for the machine. */
const MAX_ENTRIES = 1_000_000
/** Maximum size of all unpacked layers of a base image. */
const MAX_UNPACKED_BYTES = 50_000_000_000

/**
 * Lists the files of an image without unpacking it, and checks each layer against its `diffId`. Throws UPSTREAM_FAILED for an
 * image that exceeds the limits, is damaged, or has a path outside the image.
 */
export async function listFiles(
  blobs: Blobs,
  layers: Layer[],
  name: string,
  maxBytes = MAX_UNPACKED_BYTES,
): Promise<ImagePaths> {
  const paths = new Map<string, string>()
  const unpacked = { bytes: 0, maxBytes }
  const visit = (header: Header) => apply(paths, header, name)
  for (const layer of layers) await readLayer(blobs, layer, name, { unpacked, visit })
  return Object.fromEntries(paths)
}

interface LayerReader {
  /** Bytes of this layer are added. */
  unpacked: { bytes: number; readonly maxBytes: number }
  visit(header: Header): void
}

async function readLayer(
  blobs: Blobs,
  layer: Layer,
  name: string,
  { unpacked, visit }: LayerReader,
): Promise<void> {
  const hash = createHash('sha256')
  const archive = extract()
  archive.on('entry', (header, content, next) => {
    content.on('error', () => {}) // the archive's error is reported
    try {
      visit(header)
    } catch (error) {
      return next(error as Error)
    }
    content.on('end', () => next())
    content.resume()
  })
  const measured = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      unpacked.bytes += chunk.length
      hash.update(chunk)
      done(
        unpacked.bytes > unpacked.maxBytes
          ? malformedImage(name, `it is larger than ${unpacked.maxBytes} bytes unpacked`)
          : null,
        chunk,
      )
    },
  })
  await pipeline(blobs.stream(layer.digest), ...decompressor(layer), measured, archive).catch(error => {
    throw error.code === 'UPSTREAM_FAILED'
      ? error
      : malformedImage(name, `its layer ${layer.digest} is damaged: ${error.message}`)
  })
  const diffId = `sha256:${hash.digest('hex')}`
  if (diffId !== layer.diffId)
    throw malformedImage(
      name,
      `its layer ${layer.digest} unpacks to ${diffId}, but its config says ${layer.diffId}`,
    )
}

function decompressor({ mediaType }: Layer): NodeJS.ReadWriteStream[] {
  if (mediaType.endsWith('+gzip')) return [createGunzip()]
  return mediaType.endsWith('+zstd') ? [createZstdDecompress()] : []
}

/** https://github.com/opencontainers/image-spec/blob/main/layer.md#whiteouts */
function apply(paths: Map<string, string>, header: Header, name: string): void {
  const path = posix.normalize(header.name).replace(/^\/+|\/+$/g, '')
  const target = header.type === 'link' ? posix.normalize(header.linkname ?? '') : ''
  if ([path, target].some(one => one === '..' || one.startsWith('../')) || header.name.includes('\0'))
    throw malformedImage(
      name,
      `it has an entry outside the image: ${JSON.stringify(header.name.slice(0, 200))}`,
    )
  const folder = posix.dirname(path)
  const file = posix.basename(path)
  if (file === '.wh..wh..opq') return removeBelow(paths, folder)
  if (file.startsWith('.wh.')) {
    const removed = posix.join(folder, file.slice('.wh.'.length))
    paths.delete(removed)
    return removeBelow(paths, removed)
  }
  paths.set(path, header.type === 'symlink' ? (header.linkname ?? '') : '')
  if (paths.size > MAX_ENTRIES) throw malformedImage(name, `it has more than ${MAX_ENTRIES} files`)
}

function removeBelow(paths: Map<string, string>, folder: string): void {
  for (const path of paths.keys()) if (path.startsWith(`${folder}/`)) paths.delete(path)
}
