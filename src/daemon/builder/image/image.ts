import { arch } from 'node:os'
import type { Blobs, Descriptor } from './blobs.ts'
import type { Layer } from './layer.ts'

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const CONFIG = 'application/vnd.oci.image.config.v1+json'
/** Constant, so that the same source always results in the same digest. */
const CREATED = '1970-01-01T00:00:00Z'

/** Start configuration of containers (https://github.com/opencontainers/image-spec/blob/main/config.md). */
export interface RunConfig {
  entrypoint: string[]
  env: Record<string, string>
  workingDir: string
  /** `uid:gid` */
  user: string
  ports: number[]
  labels: Record<string, string>
}

export interface Manifest {
  schemaVersion: 2
  mediaType: string
  config: Descriptor
  layers: Descriptor[]
}

export interface Image {
  descriptor: Descriptor
  manifest: Manifest
}

/** Writes the config and manifest for existing layers, given from bottom to top. */
export async function writeImage(blobs: Blobs, layers: Layer[], run: RunConfig): Promise<Image> {
  const config = await putJson(blobs, CONFIG, imageConfig(layers, run))
  const plain = layers.map(({ mediaType, digest, size }) => ({ mediaType, digest, size }))
  const manifest: Manifest = { schemaVersion: 2, mediaType: MANIFEST, config, layers: plain }
  return { descriptor: await putJson(blobs, MANIFEST, manifest), manifest }
}

/** Name of this machine's processor in container images. */
export function architecture(): string {
  return { x64: 'amd64', ia32: '386' }[arch() as string] ?? arch()
}

function imageConfig(
  layers: Layer[],
  { entrypoint, env, workingDir, user, ports, labels }: RunConfig,
): object {
  return {
    created: CREATED,
    architecture: architecture(),
    os: 'linux',
    config: {
      User: user,
      ExposedPorts: Object.fromEntries(ports.map(port => [`${port}/tcp`, {}])),
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      Entrypoint: entrypoint,
      WorkingDir: workingDir,
      Labels: labels,
      StopSignal: 'SIGTERM',
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created: CREATED, created_by: 'mcp-hosting' })),
  }
}

function putJson(blobs: Blobs, mediaType: string, value: unknown): Promise<Descriptor> {
  return blobs.put(mediaType, Buffer.from(JSON.stringify(value)))
}
