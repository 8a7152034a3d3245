import { chmodSync, rmSync } from 'node:fs'
import type { RepairedCheck } from '../../shared/check.ts'
import type { Repair } from '../../shared/contract/daemon/checks.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { unfinishedFiles } from '../../shared/unfinished-files.ts'
import { findOpenFiles } from './open-files.ts'

/** Repairs by check. Each returns a sentence about every repaired file. */
const REPAIRS: Record<RepairedCheck, (paths: HomePaths) => string[]> = {
  permissions: restrictFiles,
  leftovers: ({ home }) => removeUnfinished(home),
}

/**
 * Repairs the home without data loss, whether or not its daemon is running. Throws UNAVAILABLE for a file that it may not change.
 */
export function repairHome(paths: HomePaths, checks: readonly RepairedCheck[]): Repair[] {
  return checks.flatMap(name => REPAIRS[name](paths).map(message => ({ name, message })))
}

function restrictFiles(paths: HomePaths): string[] {
  return findOpenFiles(paths).map(({ path, mode }) => {
    change(path, () => chmodSync(path, mode))
    return `Removed other users' access to ${path}`
  })
}

function removeUnfinished(home: string): string[] {
  return unfinishedFiles(home).map(file => {
    change(file, () => rmSync(file, { recursive: true, force: true }))
    return `Removed unfinished file ${file}`
  })
}

function change(path: string, apply: () => void): void {
  try {
    apply()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new HostingError('UNAVAILABLE', `${path} could not be repaired (${code}).`, {
      details: 'The user of the daemon must own it. Earlier repairs are kept.',
      cause,
    })
  }
}
