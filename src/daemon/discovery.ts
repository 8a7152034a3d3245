import { readFileSync, rmSync } from 'node:fs'
import { writeFileAtomic } from '../shared/atomic-file.ts'
import type { Discovery, HomePaths } from '../shared/paths.ts'

/** Tells every `mcp` of this home where the daemon listens; mode 0600, written only once it answers. */
export function writeDiscovery(paths: HomePaths, discovery: Discovery): void {
  writeFileAtomic(paths.discovery, `${JSON.stringify(discovery, null, 2)}\n`, 0o600)
}

/** Takes the file away, unless a newer daemon has written its own meanwhile. */
export function removeDiscovery(paths: HomePaths, nonce: string): void {
  try {
    if (JSON.parse(readFileSync(paths.discovery, 'utf8')).nonce === nonce) rmSync(paths.discovery)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
