import { statSync } from 'node:fs'
import type { HomePaths } from '../../shared/paths.ts'

/** Private files and folders that other users can access, with the correct mode. */
export function findOpenFiles(paths: HomePaths): { path: string; mode: number }[] {
  if (process.platform === 'win32') return []
  return [...secretFiles(paths), ...privateFolders(paths)].filter(
    ({ path }) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
  )
}

function secretFiles({ credentials, signIns, secretKey, database, discovery }: HomePaths) {
  return [credentials, signIns, secretKey, database, discovery].map(path => ({ path, mode: 0o600 }))
}

/** Logs may contain users' requests. Sources and program folders may contain secrets. */
function privateFolders(paths: HomePaths) {
  const { logs, artifacts, sources, programs, programSources, images, tls, backups } = paths
  const folders = [logs, artifacts, sources, programs, programSources, images, tls, backups]
  return folders.map(path => ({ path, mode: 0o700 }))
}
