import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { HomePaths } from '../../shared/paths.ts'

/** Removes files that a killed daemon left half written. Called at the start, before this daemon writes `.tmp` files. */
export function removeUnfinished(paths: HomePaths): void {
  const { artifacts, sources, programSources, images, cache, backups, database, unfinishedState } = paths
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
    unfinishedState,
  ])
    for (const name of unfinishedIn(folder)) remove(join(folder, name))
  // Commands may be writing other files next to the database.
  for (const name of unfinishedIn(dirname(database)))
    if (name.startsWith(`${basename(database)}.`)) remove(join(dirname(database), name))
}

/** Names of unfinished files in a folder. SQLite adds files with two suffixes next to an open database. */
function unfinishedIn(folder: string): string[] {
  return namesIn(folder).filter(name => /\.tmp(-wal|-shm)?$/.test(name))
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    // An npm process that survived the daemon is still writing. The next start removes the folder.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return [] // a missing folder has no files
    throw error
  }
}
