import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pack } from 'tar-stream'
import type { Descriptor } from './blobs.ts'
import type { Image } from './image.ts'
import type { Layout } from './layout.ts'

/**
 * Image as a tar archive for `docker load`, `podman load` and `skopeo copy oci-archive:`: an OCI layout, and the
 * `manifest.json` that Docker before version 25 needs. Both refer to the same blobs.
 */
export function imageArchive(layout: Layout, image: Image, name: string): Readable {
  const archive = pack()
  const output = new PassThrough()
  archive.on('error', error => output.destroy(error))
  archive.pipe(output)
  void write(archive, layout, image, name).catch(error => archive.destroy(error))
  return output
}

async function write(
  archive: ReturnType<typeof pack>,
  layout: Layout,
  image: Image,
  name: string,
): Promise<void> {
  const { descriptor, manifest } = image
  const annotations = { 'org.opencontainers.image.ref.name': tagOf(name), 'io.containerd.image.name': name }
  const index = { schemaVersion: 2, manifests: [{ ...descriptor, annotations }] }
  const docker = [
    { Config: entryName(manifest.config), RepoTags: [name], Layers: manifest.layers.map(entryName) },
  ]
  await addText(archive, 'oci-layout', '{"imageLayoutVersion":"1.0.0"}')
  await addText(archive, 'index.json', JSON.stringify(index))
  await addText(archive, 'manifest.json', JSON.stringify(docker))
  for (const blob of [descriptor, manifest.config, ...manifest.layers]) await addBlob(archive, layout, blob)
  archive.finalize()
}

function addText(archive: ReturnType<typeof pack>, name: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry({ name, mtime: new Date(0) }, text, error => (error ? reject(error) : resolve()))
  })
}

async function addBlob(archive: ReturnType<typeof pack>, layout: Layout, blob: Descriptor): Promise<void> {
  const entry = archive.entry({ name: entryName(blob), size: blob.size, mtime: new Date(0) })
  await pipeline(layout.blobs.stream(blob.digest), entry)
}

function entryName({ digest }: Descriptor): string {
  return `blobs/${digest.replace(':', '/')}`
}

/** `weather:1.0.0` → `1.0.0` */
function tagOf(name: string): string {
  return /:([^/:]+)$/.exec(name)?.[1] ?? 'latest'
}
