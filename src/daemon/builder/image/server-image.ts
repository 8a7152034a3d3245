import { type Base, moveEntry } from './base.ts'
import { USER } from './base-layer.ts'
import { type Image, writeImage } from './image.ts'
import { type LayerEntry, writeLayer } from './layer.ts'
import type { Layout } from './layout.ts'

export interface ServerImageInput {
  name: string
  version: string
  base: Base
  /** Files below `/app`, including `server.mjs`. */
  app: LayerEntry[]
  /** Installed packages below `/app`, in a separate layer, because they change less often. */
  dependencies?: LayerEntry[]
  env?: Record<string, string>
}

/** Default port of a container. `PORT` overrides it. */
const CONTAINER_PORT = 8080

/** Builds a standalone image of a server that runs unprivileged. */
export async function buildServerImage(layout: Layout, input: ServerImageInput): Promise<Image> {
  const { base, app, dependencies = [], name, version } = input
  const layers = [...base.layers]
  for (const entries of [dependencies, app])
    if (entries.length > 0)
      layers.push(
        await writeLayer(
          layout.blobs,
          entries.map(entry => moveBelow('app', entry, base)),
        ),
      )
  const { origin } = base
  return writeImage(layout.blobs, layers, {
    entrypoint: [base.node, '/app/server.mjs'],
    env: {
      ...base.env,
      PORT: String(CONTAINER_PORT),
      HOST: '0.0.0.0',
      NODE_ENV: 'production',
      ...input.env,
    },
    workingDir: '/app',
    user: `${USER.id}:${USER.id}`,
    ports: [CONTAINER_PORT],
    labels: {
      'org.opencontainers.image.title': name,
      'org.opencontainers.image.version': version,
      ...(origin && {
        'org.opencontainers.image.base.name': origin.name,
        'org.opencontainers.image.base.digest': origin.digest,
      }),
    },
  })
}

function moveBelow(folder: string, entry: LayerEntry, { paths }: Base): LayerEntry {
  return moveEntry(paths, { ...entry, path: `${folder}/${entry.path}` })
}
