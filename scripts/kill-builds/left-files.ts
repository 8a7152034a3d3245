import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildRecord } from './daemon-life.ts'

/** Temporary files and work folders anywhere in the home. */
export function leftFiles(home: string): string[] {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' })
  const left = names.filter(name => name.endsWith('.tmp') || /build-cache\/work\/./.test(name))
  return left.slice(0, 5).map(name => `the file ${name} was left behind`)
}

/** Missing, truncated or unlisted images of successful builds, and damaged blobs. */
export function brokenImages(home: string, records: readonly BuildRecord[]): string[] {
  const blobs = join(home, 'images', 'blobs', 'sha256')
  const index = JSON.parse(readFileSync(join(home, 'images', 'index.json'), 'utf8'))
  const listed = new Set(index.manifests.map(({ digest }: { digest: string }) => digest))
  const faults: string[] = []
  for (const { id, imageDigest } of records.filter(({ status }) => status === 'succeeded')) {
    if (!listed.has(imageDigest)) faults.push(`${id}: its image is not in the index`)
    const manifest = readManifest(blobs, imageDigest)
    if (!manifest) faults.push(`${id}: its manifest ${imageDigest} is missing or damaged`)
    for (const { digest, size } of manifest ? [manifest.config, ...manifest.layers] : []) {
      const found = statSync(join(blobs, digest.slice(7)), { throwIfNoEntry: false })
      if (!found) faults.push(`${id}: ${digest} is missing`)
      else if (found.size !== size) faults.push(`${id}: ${digest} is truncated`)
    }
  }
  const torn = readdirSync(blobs).filter(name => digestOf(join(blobs, name)) !== name)
  return [...faults, ...torn.map(name => `the content of the blob ${name} does not match its name`)]
}

function readManifest(blobs: string, digest: string) {
  try {
    return JSON.parse(readFileSync(join(blobs, digest.slice(7)), 'utf8'))
  } catch {
    return undefined
  }
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
