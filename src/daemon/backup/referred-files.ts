import { readFileSync } from 'node:fs'
import { type DatabaseFacts, readFacts } from './copied-database.ts'
import { FILE_PATH } from './manifest.ts'

/** A file that a database refers to. */
export interface ReferredFile {
  /** Path below the home. */
  path: string
  /** SHA-256. */
  digest: string
}

/** Lists artifacts, their bundles and sources. `locate` returns the path of an artifact. Ignores names that no daemon writes. */
export function referredFiles(
  { artifacts, sources }: DatabaseFacts,
  locate: (artifact: string) => string,
): ReferredFile[] {
  return [
    ...artifacts.filter(isOurs).flatMap(path => {
      const bundle = bundleOf(locate(path))
      const artifact = { path, digest: digestIn(path) }
      return bundle === undefined ? [artifact] : [artifact, { path: bundlePath(path), digest: bundle }]
    }),
    ...sources.filter(isOurs).map(path => ({ path, digest: digestIn(path) })),
  ]
}

/** Like `referredFiles`, but reads the database from a file. Empty when the file cannot be read. */
export function filesReferredIn(database: string, locate: (artifact: string) => string): ReferredFile[] {
  try {
    return referredFiles(readFacts(database), locate)
  } catch {
    return []
  }
}

export function digestIn(path: string): string {
  return /[0-9a-f]{64}/.exec(path)![0]
}

export function bundlePath(artifact: string): string {
  return artifact.replace(/json$/, 'mjs')
}

/** Digest of an artifact's bundle. Undefined without a bundle, and for a missing or damaged file. */
export function bundleOf(artifact: string): string | undefined {
  try {
    const { program } = JSON.parse(readFileSync(artifact, 'utf8')) as {
      program?: { type: string; bundle?: string }
    }
    return program?.type === 'module' ? program.bundle : undefined
  } catch {
    return undefined
  }
}

/** Validates names, because a backup's database may come from another machine. */
function isOurs(path: string): boolean {
  return FILE_PATH.test(path) && /\/[0-9a-f]{64}\./.test(path)
}
