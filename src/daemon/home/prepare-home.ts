import { mkdirSync } from 'node:fs'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'

/** Creates a home and its log folder. Throws UNAVAILABLE when the home is not writable. */
export function prepareHome({ home, logs }: HomePaths): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    mkdirSync(logs, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    throw new HostingError('UNAVAILABLE', `The home ${home} cannot be written (${code}).`, {
      details: 'Make it writable and check the space on its disk, or set MCP_HOME to another folder.',
      cause,
    })
  }
}
