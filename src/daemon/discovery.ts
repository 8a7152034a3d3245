import { readFileSync, rmSync } from 'node:fs'
import { writeFileAtomic } from '../shared/atomic-file.ts'
import { HostingError } from '../shared/errors.ts'
import type { Discovery, HomePaths } from '../shared/paths.ts'

/** Tells every `mcp` of this home where the daemon listens; mode 0600, written only once it answers. Throws UNAVAILABLE. */
export function writeDiscovery(paths: HomePaths, discovery: Discovery): void {
  try {
    writeFileAtomic(paths.discovery, `${JSON.stringify(discovery, null, 2)}\n`, 0o600)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new HostingError('UNAVAILABLE', `The file ${paths.discovery} cannot be written (${code}).`, {
      details:
        'Without it no command finds the daemon. Free space, make the home writable and start it again.',
      cause,
    })
  }
}

/** Writes the file again if it is missing or damaged. A newer daemon's file stays. Throws UNAVAILABLE. */
export function mendDiscovery(paths: HomePaths, discovery: Discovery): void {
  if (readDiscovery(paths.discovery)?.nonce === undefined) writeDiscovery(paths, discovery)
}

/** Takes the file away, unless a newer daemon has written its own meanwhile. One that cannot be read leads nobody anywhere. */
export function removeDiscovery(paths: HomePaths, nonce: string): void {
  if (readDiscovery(paths.discovery)?.nonce === nonce) rmSync(paths.discovery, { force: true })
}

/** Left by a daemon that did not take it away: it was killed or crashed. */
export function leftDiscovery({ discovery }: HomePaths): Partial<Discovery> | undefined {
  return readDiscovery(discovery)
}

function readDiscovery(path: string): Partial<Discovery> | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) ?? undefined
  } catch {
    return undefined
  }
}
