import { closeSync, existsSync, mkdirSync, openSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { HomePaths } from '../../shared/paths.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import { readCredentials } from '../api/credentials.ts'
import { type Check, type Finding, fail, pass, warn } from './check.ts'
import { checkDatabaseFile } from './database-check.ts'
import { findOpenFiles } from './open-files.ts'
import { unfinishedFiles } from './unfinished-files.ts'

const MIN_FREE_BYTES = 200 * 1024 * 1024

/** Files on disk: the home, its database, its secrets and leftovers of crashes. */
export const HOME_CHECKS: readonly Check[] = [
  { name: 'home', run: ({ paths }) => [checkWritable(paths.home), ...checkSpace(paths.home)] },
  { name: 'database', run: async context => [await checkDatabaseFile(context)] },
  { name: 'credentials', run: ({ paths }) => checkCredentials(paths) },
  { name: 'leftovers', run: ({ paths }) => [checkLeftovers(paths.home)] },
]

function checkWritable(home: string): Finding {
  const probe = join(home, `.doctor-${process.pid}`)
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    closeSync(openSync(probe, 'w'))
    rmSync(probe)
    return pass(`${home} is writable`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return fail(`${home} is not writable (${code})`, 'Make it writable, or set MCP_HOME to a writable folder')
  }
}

function checkSpace(home: string): Finding[] {
  if (!existsSync(home)) return []
  const { bavail, bsize } = statfsSync(home)
  const free = bavail * bsize
  const megabytes = `${Math.round(free / 1024 / 1024)} MB`
  return free < MIN_FREE_BYTES
    ? [warn(`only ${megabytes} are free on the disk of ${home}`, 'Free disk space for builds and logs')]
    : [pass(`${megabytes} free on its disk`)]
}

function checkCredentials(paths: HomePaths): Finding[] {
  const open = findOpenFiles(paths).map(({ path }) => path)
  if (open.length > 0)
    return [
      fail(
        `other users of this machine can read ${open.join(' and ')}`,
        'Remove their permission',
        `chmod go= ${open.map(quoteShellWord).join(' ')}`,
      ),
    ]
  if (!existsSync(paths.credentials)) return [pass('no keys saved yet')]
  try {
    const names = Object.keys(readCredentials(paths.credentials).contexts)
    return [pass(`keys for ${names.join(', ') || 'no context'}, readable only by you`)]
  } catch (error) {
    return [fail((error as Error).message, 'Correct the file, or remove it and sign in again', 'mcp login')]
  }
}

function checkLeftovers(home: string): Finding {
  const left = unfinishedFiles(home)
  if (left.length === 0) return pass('none')
  return warn(
    `${left.length} unfinished files left by a crash`,
    'Remove them',
    `rm -r ${left.map(quoteShellWord).join(' ')}`,
  )
}
