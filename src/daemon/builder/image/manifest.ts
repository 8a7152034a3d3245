import { HostingError } from '../../../shared/errors.ts'
import type { Descriptor } from './blobs.ts'
import { architecture, type Manifest } from './image.ts'

/** The distribution specification asks registries to accept 4 MB. */
export const MAX_MANIFEST_BYTES = 4_000_000
export const MANIFEST_TYPES = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]
const CONFIG_TYPES = [
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
]
/** Media types of layers in Docker and OCI images, and the OCI type to use for each. */
const LAYER_TYPES: Record<string, string> = {
  'application/vnd.oci.image.layer.v1.tar': 'application/vnd.oci.image.layer.v1.tar',
  'application/vnd.oci.image.layer.v1.tar+gzip': 'application/vnd.oci.image.layer.v1.tar+gzip',
  'application/vnd.oci.image.layer.v1.tar+zstd': 'application/vnd.oci.image.layer.v1.tar+zstd',
  'application/vnd.docker.image.rootfs.diff.tar': 'application/vnd.oci.image.layer.v1.tar',
  'application/vnd.docker.image.rootfs.diff.tar.gzip': 'application/vnd.oci.image.layer.v1.tar+gzip',
}
const MAX_LAYERS = 256
const MAX_CONFIG_BYTES = 8_000_000
/** Maximum total size of a base's compressed layers. */
const MAX_IMAGE_BYTES = 20_000_000_000

export interface Index {
  manifests: (Descriptor & { platform?: { architecture?: string; os?: string } })[]
}

/**
 * Parses a manifest or index from a registry or layout and checks every member, because the author of the image wrote it.
 * Throws UPSTREAM_FAILED.
 */
export function parseManifest(bytes: Buffer, name: string): Manifest | Index {
  const content = parseJson(bytes, name)
  if (content.schemaVersion !== 2) throw malformedImage(name, 'its schemaVersion is not 2')
  const { mediaType } = content
  if (mediaType !== undefined && !MANIFEST_TYPES.includes(mediaType as string))
    throw malformedImage(name, `its media type is ${JSON.stringify(mediaType)?.slice(0, 100)}`)
  if (Array.isArray(content.manifests)) return { manifests: content.manifests.filter(isDescriptor) }
  const { config, layers } = content
  if (!isDescriptor(config) || !CONFIG_TYPES.includes(config.mediaType) || config.size > MAX_CONFIG_BYTES)
    throw malformedImage(name, 'its config is not that of a container image')
  if (
    !Array.isArray(layers) ||
    layers.length === 0 ||
    layers.length > MAX_LAYERS ||
    !layers.every(isDescriptor)
  )
    throw malformedImage(name, `it must have 1 to ${MAX_LAYERS} layers`)
  const other = layers.find(layer => LAYER_TYPES[layer.mediaType] === undefined)
  if (other)
    throw malformedImage(
      name,
      `its layer ${other.digest} has the unsupported type "${other.mediaType.slice(0, 100)}"`,
    )
  if (layers.reduce((sum, { size }) => sum + size, 0) > MAX_IMAGE_BYTES)
    throw malformedImage(name, `its layers have more than ${MAX_IMAGE_BYTES} bytes`)
  return {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPES[0]!,
    config,
    layers: layers.map(({ mediaType, digest, size }) => ({
      mediaType: LAYER_TYPES[mediaType]!,
      digest,
      size,
    })),
  }
}

/** Finds the variant for this machine's processor. Throws UPSTREAM_FAILED when there is none. */
export function pickPlatform({ manifests }: Index, name: string): Descriptor {
  const wanted = architecture()
  const found = manifests.find(({ platform }) => platform?.os === 'linux' && platform.architecture === wanted)
  if (found) return found
  const offered = manifests
    .slice(0, 20)
    .map(({ platform }) => `${platform?.os}/${platform?.architecture}`)
    .join(', ')
  throw new HostingError(
    'UPSTREAM_FAILED',
    `The base image ${name} has no variant for linux/${wanted}. Its variants: ${offered || 'none'}.`,
  )
}

/** Parses the parts of an image's config that a new image needs. Throws UPSTREAM_FAILED for a bad config or another platform. */
export function parseConfig(
  bytes: Buffer,
  { layers }: Manifest,
  name: string,
): { diffIds: string[]; env: string[] } {
  const { rootfs, config, os, architecture: processor } = parseJson(bytes, name) as Record<string, never>
  const diffIds = (rootfs as { diff_ids?: unknown } | undefined)?.diff_ids
  if (os !== 'linux' || processor !== architecture())
    throw new HostingError(
      'UPSTREAM_FAILED',
      `The base image ${name} is for ${os}/${processor}, not linux/${architecture()}.`,
    )
  if (!Array.isArray(diffIds) || diffIds.length !== layers.length || !diffIds.every(isDigest))
    throw malformedImage(name, `its config does not match its ${layers.length} layers`)
  const env = (config as { Env?: unknown } | undefined)?.Env
  return { diffIds, env: Array.isArray(env) ? env.filter(one => typeof one === 'string') : [] }
}

export function malformedImage(name: string, why: string): HostingError {
  return new HostingError('UPSTREAM_FAILED', `The base image ${name} cannot be used: ${why}.`, {
    details: 'Use another image, or pull and push it again with skopeo copy.',
  })
}

function parseJson(bytes: Buffer, name: string): Record<string, unknown> {
  try {
    const content = JSON.parse(bytes.toString())
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content
  } catch {
    // reported below
  }
  throw malformedImage(name, 'its manifest or config is not a JSON object')
}

function isDescriptor(value: unknown): value is Descriptor {
  const { mediaType, digest, size } = (value ?? {}) as Partial<Descriptor>
  return typeof mediaType === 'string' && isDigest(digest) && Number.isSafeInteger(size) && size! >= 0
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value)
}
