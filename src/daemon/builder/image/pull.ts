import { HostingError } from '../../../shared/errors.ts'
import { type Blobs, type Descriptor, sha256 } from './blobs.ts'
import { architecture, type Image, type Manifest } from './image.ts'
import type { Layer } from './layer.ts'
import type { Registry, RegistryAnswer } from './registry.ts'

const MANIFESTS = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]
/** A manifest is a list of digests; more is an attack (the distribution specification asks registries to take 4 MB). */
const MAX_MANIFEST_BYTES = 4_000_000

interface Index {
  manifests: (Descriptor & { platform?: { architecture: string; os: string } })[]
}

/** The layers of an image, to build upon, and the environment that it sets. */
export interface BaseImage {
  layers: Layer[]
  env: string[]
}

/** Fetches what is not there yet; every blob is checked against its digest. `reference`: a tag or a digest. */
export async function pullImage(registry: Registry, blobs: Blobs, reference: string): Promise<BaseImage> {
  const { manifest } = await fetchManifest(registry, reference)
  for (const blob of [manifest.config, ...manifest.layers]) {
    if (!blobs.has(blob)) await fetchBlob(registry, blobs, blob)
  }
  return baseOf(blobs, manifest)
}

/** What of an image's config a new one is built upon. Throws UPSTREAM_FAILED for an image of another system. */
export function baseOf(blobs: Blobs, manifest: Manifest): BaseImage {
  const { rootfs, config, os } = JSON.parse(blobs.read(manifest.config.digest).toString())
  if (os !== 'linux' || rootfs?.diff_ids?.length !== manifest.layers.length)
    throw new HostingError(
      'UPSTREAM_FAILED',
      `The base image is no Linux image of ${manifest.layers.length} layers.`,
    )
  const layers = manifest.layers.map((layer, index) => ({
    ...layer,
    diffId: rootfs.diff_ids[index] as string,
  }))
  return { layers, env: config?.Env ?? [] }
}

async function fetchManifest(registry: Registry, reference: string): Promise<Image> {
  const answer = await registry.send({
    method: 'GET',
    path: `manifests/${encodeURIComponent(reference)}`,
    headers: { accept: MANIFESTS.join(', ') },
  })
  if (answer.statusCode !== 200)
    throw await registry.failure(answer, `has no ${registry.address.repository}:${reference}`)
  const bytes = await readLimited(answer)
  const digest = sha256(bytes)
  if (reference.startsWith('sha256:') && reference !== digest) throw wrongDigest(reference, digest)
  const content = JSON.parse(bytes.toString()) as Manifest | Index
  if ('layers' in content)
    return { manifest: content, descriptor: { mediaType: content.mediaType, digest, size: bytes.length } }
  return fetchManifest(registry, pickPlatform(content).digest)
}

function pickPlatform({ manifests = [] }: Index): Descriptor {
  const wanted = architecture()
  const found = manifests.find(({ platform }) => platform?.os === 'linux' && platform.architecture === wanted)
  if (found) return found
  const offered = manifests.map(({ platform }) => `${platform?.os}/${platform?.architecture}`).join(', ')
  throw new HostingError(
    'UPSTREAM_FAILED',
    `The base image has no variant for linux/${wanted}, only ${offered}.`,
  )
}

async function fetchBlob(registry: Registry, blobs: Blobs, { digest, mediaType }: Descriptor): Promise<void> {
  const answer = await followRedirect(
    registry,
    await registry.send({ method: 'GET', path: `blobs/${digest}` }),
  )
  if (answer.statusCode !== 200) throw await registry.failure(answer, `has no blob ${digest}`)
  const written = await blobs.write(mediaType, answer.body)
  if (written.digest !== digest) throw wrongDigest(digest, written.digest)
}

/** Registries keep blobs in a store of another origin, and say where. */
async function followRedirect(registry: Registry, answer: RegistryAnswer): Promise<RegistryAnswer> {
  const { location } = answer.headers
  if (answer.statusCode !== 307 && answer.statusCode !== 302) return answer
  await answer.body.dump()
  return registry.send({ method: 'GET', path: String(location) })
}

async function readLimited({ body }: RegistryAnswer): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_MANIFEST_BYTES)
      throw new HostingError('UPSTREAM_FAILED', `The manifest is larger than ${MAX_MANIFEST_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function wrongDigest(expected: string, found: string): HostingError {
  return new HostingError('UPSTREAM_FAILED', `The registry sent ${found} instead of ${expected}.`, {
    details: 'What it holds is damaged, or was changed on the way.',
  })
}
