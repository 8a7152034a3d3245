import { statSync } from 'node:fs'
import type { Layout } from './layout.ts'

export interface UnusedImage {
  name: string
  /** Size of the blobs that no image in use needs. A blob shared by several unused images counts towards the first. */
  bytes: number
  createdAt: string
}

/**
 * Images that are not in use, and the size and age of blobs that belong to no image. Throws UNAVAILABLE if a manifest in use
 * is missing or damaged, because its layers are then unknown.
 */
export function findUnusedImages(
  layout: Layout,
  isUsed: (name: string) => boolean,
): { images: UnusedImage[]; layers: Omit<UnusedImage, 'name'> | undefined } {
  const names = layout.names()
  const counted = new Set(names.filter(isUsed).flatMap(name => blobsOf(layout, name)))
  const images = names
    .filter(name => !isUsed(name))
    .map(name => {
      const blobs = readableBlobsOf(layout, name).filter(digest => !counted.has(digest))
      for (const digest of blobs) counted.add(digest)
      return { name, ...describe(layout, blobs) }
    })
  const rest = layout.blobs.list().filter(digest => !counted.has(digest))
  return { images, layers: rest.length > 0 ? describe(layout, rest) : undefined }
}

/** Removes blobs that no image needs. Must not run while an image is written. Throws UNAVAILABLE for a damaged manifest. */
export function removeUnusedLayers(layout: Layout): void {
  const used = new Set(layout.names().flatMap(name => blobsOf(layout, name)))
  for (const digest of layout.blobs.list()) if (!used.has(digest)) layout.blobs.remove(digest)
}

/** Digests of an image's manifest, configuration and layers. */
function blobsOf(layout: Layout, name: string): string[] {
  const { descriptor, manifest } = layout.find(name)!
  return [descriptor, manifest.config, ...manifest.layers].map(({ digest }) => digest)
}

/** Like `blobsOf`, but empty for a damaged image, so that damaged images can also be removed. */
function readableBlobsOf(layout: Layout, name: string): string[] {
  try {
    return blobsOf(layout, name)
  } catch {
    return []
  }
}

function describe(layout: Layout, digests: readonly string[]): Omit<UnusedImage, 'name'> {
  const found = digests.flatMap(
    digest => statSync(layout.blobs.path(digest), { throwIfNoEntry: false }) ?? [],
  )
  const newest = Math.max(0, ...found.map(({ mtimeMs }) => mtimeMs))
  return {
    bytes: found.reduce((sum, { size }) => sum + size, 0),
    createdAt: new Date(newest || Date.now()).toISOString(),
  }
}
