import { readFileSync, rmSync } from 'node:fs'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { HostingError } from '../../shared/errors.ts'
import type { Discovery, HomePaths } from '../../shared/paths.ts'

/** Writes the file by which `mcp` finds the daemon, with mode 0600. Called just before the API answers. Throws UNAVAILABLE. */
export function writeDiscovery(paths: HomePaths, discovery: Discovery): void {
  try {
    writeFileAtomic(paths.discovery, `${JSON.stringify(discovery, null, 2)}\n`, 0o600)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new HostingError('UNAVAILABLE', `The file ${paths.discovery} cannot be written (${code}).`, {
      details:
        'Commands need this file to find the daemon. Free space, make the home writable and start the daemon again.',
      cause,
    })
  }
}

/** Writes the file again if it is missing or damaged. Does not overwrite a newer daemon's file. Throws UNAVAILABLE. */
export function repairDiscovery(paths: HomePaths, discovery: Discovery): void {
  if (readDiscovery(paths.discovery)?.nonce === undefined) writeDiscovery(paths, discovery)
}

/** Removes the file, unless it belongs to a newer daemon or is unreadable. */
export function removeDiscovery(paths: HomePaths, nonce: string): void {
  if (readDiscovery(paths.discovery)?.nonce === nonce) rmSync(paths.discovery, { force: true })
}

/** Content of the file that a killed or crashed daemon left behind. */
export function findLeftoverDiscovery({ discovery }: HomePaths): Partial<Discovery> | undefined {
  return readDiscovery(discovery)
}

function readDiscovery(path: string): Partial<Discovery> | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) ?? undefined
  } catch {
    return undefined
  }
}
