import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { writeFileAtomic } from '../../../shared/atomic-file.ts'
import { baseEntries, baseKey } from './base-layer.ts'
import { sha256 } from './blobs.ts'
import { type ImagePaths, resolveInImage } from './image-paths.ts'
import { type Layer, type LayerEntry, writeLayer } from './layer.ts'
import type { Layout } from './layout.ts'
import type { RepositoryAddress } from './repository-address.ts'

export interface Base {
  /** Source of the base, with the digest of its manifest. Undefined for this machine's Node. */
  origin?: { name: string; digest: string; repository: RepositoryAddress | undefined }
  layers: Layer[]
  env: Record<string, string>
  node: string
  paths: ImagePaths
}

export const NODE = 'usr/local/bin/node'
/** This machine's Node with its libraries. Packing takes two seconds and is repeated only when one of the files has changed. */
export async function localBase(layout: Layout): Promise<Base> {
  const layer = await rememberedLayer(layout, baseKey(), baseEntries)
  const paths = Object.fromEntries(baseEntries().map(({ path }) => [path, '']))
  return { layers: [layer], env: { PATH: '/usr/local/bin' }, node: `/${NODE}`, paths }
}

/** Path of a command in the image, which is searched for in PATH unless it is absolute. Undefined when there is none. */
export function findCommand(
  { env, paths }: Pick<Base, 'env' | 'paths'>,
  command: string,
): string | undefined {
  const folders = command.startsWith('/') ? [''] : (env.PATH ?? '').split(':')
  return folders.map(folder => posix.join('/', folder, command)).find(path => isIn(paths, path))
}

/** Moves an entry to where the base's symbolic links lead, so that it does not replace a link with a folder. */
export function moveEntry(paths: ImagePaths, entry: LayerEntry): LayerEntry {
  return { ...entry, path: resolveInImage(paths, entry.path) }
}

/** Packs a layer once per key. */
export async function rememberedLayer(
  layout: Layout,
  key: string,
  entries: () => LayerEntry[],
): Promise<Layer> {
  const record = recordPath(layout, sha256(key))
  if (existsSync(record)) {
    const known = JSON.parse(readFileSync(record, 'utf8')) as Layer
    if (layout.blobs.has(known)) return known
  }
  const layer = await writeLayer(layout.blobs, entries())
  writeFileAtomic(record, JSON.stringify(layer))
  return layer
}

/** Path of the file that describes a pulled base or a remembered layer. */
export function recordPath(layout: Layout, digest: string): string {
  return join(layout.directory, 'bases', `${digest.slice('sha256:'.length)}.json`)
}

/** True when the image has an entry at the path. */
export function isIn(paths: ImagePaths, path: string): boolean {
  return Object.hasOwn(paths, resolveInImage(paths, path))
}
