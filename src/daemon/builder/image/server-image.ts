import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../../shared/atomic-file.ts'
import { baseEntries, baseKey, USER } from './base-layer.ts'
import { sha256 } from './blobs.ts'
import { type Image, writeImage } from './image.ts'
import { type Layer, type LayerEntry, writeLayer } from './layer.ts'
import type { Layout } from './layout.ts'

export interface ServerImageInput {
  name: string
  version: string
  /** Files below `/app`, `server.mjs` among them. */
  app: LayerEntry[]
  /** Installed packages, below `/app/node_modules`; a layer of their own, because they change less often. */
  dependencies?: LayerEntry[]
  env?: Record<string, string>
}

/** Port that a container listens on unless `PORT` says another. */
export const CONTAINER_PORT = 8080

/** A server as an image that runs by itself, unprivileged, on a base made of this machine's Node. */
export async function buildServerImage(layout: Layout, input: ServerImageInput): Promise<Image> {
  const layers = [await baseLayer(layout)]
  if (input.dependencies?.length)
    layers.push(await writeLayer(layout.blobs, below('app', input.dependencies)))
  layers.push(await writeLayer(layout.blobs, below('app', input.app)))
  return writeImage(layout.blobs, layers, {
    entrypoint: ['/usr/local/bin/node', '/app/server.mjs'],
    env: {
      PATH: '/usr/local/bin',
      PORT: String(CONTAINER_PORT),
      HOST: '0.0.0.0',
      NODE_ENV: 'production',
      ...input.env,
    },
    workingDir: '/app',
    user: `${USER.id}:${USER.id}`,
    ports: [CONTAINER_PORT],
    labels: {
      'org.opencontainers.image.title': input.name,
      'org.opencontainers.image.version': input.version,
    },
  })
}

/** Packed once, two seconds, and then known by its files' sizes and times. */
async function baseLayer(layout: Layout): Promise<Layer> {
  const record = join(layout.directory, 'bases', `${sha256(baseKey()).slice(7)}.json`)
  if (existsSync(record)) {
    const known = JSON.parse(readFileSync(record, 'utf8')) as Layer
    if (layout.blobs.has(known)) return known
  }
  const layer = await writeLayer(layout.blobs, baseEntries())
  writeFileAtomic(record, JSON.stringify(layer))
  return layer
}

function below(folder: string, entries: LayerEntry[]): LayerEntry[] {
  return entries.map(entry => ({ ...entry, path: `${folder}/${entry.path}` }))
}
