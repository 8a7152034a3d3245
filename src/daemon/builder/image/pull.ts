import { createReadStream } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { HostingError } from '../../../shared/errors.ts'
import { type Blobs, type Descriptor, sha256 } from './blobs.ts'
import type { Manifest } from './image.ts'
import {
  type Index,
  MANIFEST_TYPES,
  MAX_MANIFEST_BYTES,
  malformedImage,
  parseManifest,
  pickPlatform,
} from './manifest.ts'
import type { Registry, RegistryAnswer } from './registry.ts'

/** Registry or folder with images. */
export interface ImageSource {
  /** Name for messages and labels. */
  name: string
  /** `reference`: a tag or digest. Throws UPSTREAM_FAILED when there is no such image. */
  manifest(reference: string): Promise<Buffer>
  blob(descriptor: Descriptor): Promise<AsyncIterable<Buffer>>
}

export interface PulledImage {
  digest: string
  manifest: Manifest
}

/** Maximum nesting of indexes, including the manifest. */
const MAX_DEPTH = 3
const MAX_REDIRECTS = 5

/** Fetches the missing blobs of an image and checks them against the manifest. */
export async function pullImage(source: ImageSource, blobs: Blobs, reference: string): Promise<PulledImage> {
  const image = await fetchManifest(source, reference, MAX_DEPTH)
  for (const blob of [image.manifest.config, ...image.manifest.layers]) {
    if (!blobs.has(blob)) await blobs.write(blob.mediaType, await source.blob(blob), blob)
  }
  return image
}

async function fetchManifest(source: ImageSource, reference: string, depth: number): Promise<PulledImage> {
  if (depth === 0) throw malformedImage(source.name, 'its indexes are nested too deeply')
  const bytes = await source.manifest(reference)
  const digest = sha256(bytes)
  if (reference.startsWith('sha256:') && reference !== digest)
    throw new HostingError('UPSTREAM_FAILED', `${source.name} sent ${digest} instead of ${reference}.`, {
      details: 'The image is damaged at its source, or was changed during the download.',
    })
  const content: Manifest | Index = parseManifest(bytes, source.name)
  if ('layers' in content) return { digest, manifest: content }
  return fetchManifest(source, pickPlatform(content, source.name).digest, depth - 1)
}

export function registrySource(registry: Registry): ImageSource {
  const { registry: host, repository } = registry.address
  return {
    name: `${host}/${repository}`,
    async manifest(reference) {
      const path = `manifests/${encodeURIComponent(reference)}`
      const answer = await registry.send({
        method: 'GET',
        path,
        headers: { accept: MANIFEST_TYPES.join(', ') },
      })
      if (answer.statusCode !== 200) throw await missing(registry, answer, `${repository}:${reference}`)
      return registry.read(answer, MAX_MANIFEST_BYTES)
    },
    async blob({ digest }) {
      const path = `blobs/${digest}`
      const answer = await followRedirects(registry, await registry.send({ method: 'GET', path }))
      if (answer.statusCode !== 200) throw await missing(registry, answer, `blob ${digest}`)
      return registry.content(answer)
    },
  }
}

function missing(registry: Registry, answer: RegistryAnswer, what: string): Promise<HostingError> {
  return registry.failure(answer, answer.statusCode === 404 ? `has no ${what}` : `did not return ${what}`)
}

/** Follows redirects, because registries redirect blob requests to storage at other origins. */
async function followRedirects(registry: Registry, first: RegistryAnswer): Promise<RegistryAnswer> {
  let answer = first
  for (let hops = 0; [301, 302, 303, 307, 308].includes(answer.statusCode); hops++) {
    const location = String(answer.headers.location ?? '')
    await answer.body.dump()
    if (hops === MAX_REDIRECTS || location === '')
      throw new HostingError(
        'UPSTREAM_FAILED',
        `The registry ${registry.address.registry} ${location === '' ? 'redirects without a Location header' : `redirects more than ${MAX_REDIRECTS} times`}.`,
      )
    answer = await registry.send({ method: 'GET', path: location })
  }
  return answer
}

/** Local OCI image layout. */
export function layoutSource(directory: string): ImageSource {
  const path = (digest: string) => join(directory, 'blobs', 'sha256', digest.slice('sha256:'.length))
  return {
    name: `oci:${directory}`,
    manifest: digest => readSmall(path(digest), directory),
    async blob({ digest }) {
      const exists = await stat(path(digest))
        .then(found => found.isFile())
        .catch(() => false)
      if (!exists) throw malformedImage(`oci:${directory}`, `it has no blob ${digest}`)
      return createReadStream(path(digest))
    },
  }
}

/** Digest of the image with this name, or of the only image. Throws UPSTREAM_FAILED. */
export async function findInLayout(directory: string, name: string | undefined): Promise<string> {
  const index = parseManifest(await readSmall(join(directory, 'index.json'), directory), `oci:${directory}`)
  const images = 'manifests' in index ? index.manifests : []
  const nameOf = ({ annotations }: Descriptor) => annotations?.['org.opencontainers.image.ref.name']
  const found =
    name === undefined && images.length === 1 ? images[0] : images.find(one => nameOf(one) === name)
  if (found) return found.digest
  const names = images.map(nameOf).filter(one => one !== undefined)
  throw malformedImage(
    `oci:${directory}`,
    `it has ${name === undefined ? `${images.length} images` : `no image "${name}"`}; named images: ${names.slice(0, 10).join(', ') || 'none'}`,
  )
}

async function readSmall(path: string, directory: string): Promise<Buffer> {
  const file = await open(path, 'r').catch(error => {
    throw malformedImage(`oci:${directory}`, `${path} cannot be read (${error.code})`)
  })
  try {
    const { size } = await file.stat()
    if (size > MAX_MANIFEST_BYTES)
      throw malformedImage(`oci:${directory}`, `${path} has more than ${MAX_MANIFEST_BYTES} bytes`)
    return await readFile(file)
  } finally {
    await file.close()
  }
}
