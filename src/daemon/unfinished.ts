import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { HomePaths } from '../shared/paths.ts'

/**
 * Removes what a killed daemon left half written. Called before anything is started: whatever is called `.tmp` then
 * belongs to nobody any more.
 */
export function removeUnfinished(paths: HomePaths): void {
  const { artifacts, sources, programSources, images, cache, backups, database } = paths
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
    backups,
  ])
    for (const name of unfinishedIn(folder)) remove(join(folder, name))
  // What else lies beside the database commands may be writing now.
  for (const name of unfinishedIn(dirname(database)))
    if (name.startsWith(`${basename(database)}.`)) remove(join(dirname(database), name))
}

/** SQLite adds two endings to the name of a database that is open. */
function unfinishedIn(folder: string): string[] {
  return namesIn(folder).filter(name => /\.tmp(-wal|-shm)?$/.test(name))
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
