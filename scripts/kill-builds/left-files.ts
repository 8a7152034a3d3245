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

/** Truncated or unlisted images of successful builds, and damaged blobs. Throws when a blob is missing. */
export function brokenImages(home: string, records: readonly BuildRecord[]): string[] {
  const blobs = join(home, 'images', 'blobs', 'sha256')
  const index = JSON.parse(readFileSync(join(home, 'images', 'index.json'), 'utf8'))
  const listed = new Set(index.manifests.map(({ digest }: { digest: string }) => digest))
  const faults: string[] = []
  for (const { id, imageDigest } of records.filter(({ status }) => status === 'succeeded')) {
    if (!listed.has(imageDigest)) faults.push(`${id}: its image is not in the index`)
    const manifest = readBlob(blobs, imageDigest)
    for (const { digest, size } of [manifest.config, ...manifest.layers])
      if (statSync(join(blobs, digest.slice(7))).size !== size) faults.push(`${id}: ${digest} is truncated`)
  }
  const torn = readdirSync(blobs).filter(name => digestOf(join(blobs, name)) !== name)
  return [...faults, ...torn.map(name => `the content of the blob ${name} does not match its name`)]
}

function readBlob(blobs: string, digest: string) {
  return JSON.parse(readFileSync(join(blobs, digest.slice(7)), 'utf8'))
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
