import { existsSync, globSync, statSync } from 'node:fs'
import { buildDist } from '../../../scripts/build.ts'

/** Tests start the real programs. Builds `dist/` unless `npm test` has just done so. */
export default async function setup(): Promise<void> {
  // Folders are included. Their times change when a file is removed.
  const sources = globSync(['src/**', 'scripts/**', 'package.json', 'package-lock.json'])
  const isCurrent = existsSync('dist') && sources.every(file => changedAt(file) < changedAt('dist'))
  if (!isCurrent) await buildDist()
}

function changedAt(file: string): number {
  return statSync(file).mtimeMs
}
