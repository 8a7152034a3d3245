import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { HomePaths } from '../shared/paths.ts'

/**
 * Removes what a killed daemon left half written. Called before anything is started: whatever is called `.tmp` then
 * belongs to nobody any more.
 */
export function removeUnfinished({ artifacts, sources, programSources, images, cache }: HomePaths): void {
  const blobs = join(images, 'blobs', 'sha256')
  const dependencies = join(cache, 'dependencies')
  for (const folder of [
    artifacts,
    sources,
    programSources,
    images,
    join(images, 'bases'),
    blobs,
    dependencies,
  ])
    for (const name of namesIn(folder).filter(name => name.endsWith('.tmp'))) remove(join(folder, name))
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    // An npm that outlived its daemon writes on: the next start removes it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return [] // nothing was written there; who needs the folder will tell
    throw error
  }
}
