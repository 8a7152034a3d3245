import { closeSync, existsSync, mkdirSync, openSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { HomePaths } from '../../shared/paths.ts'
import { readCredentials } from '../credentials.ts'
import { shellWord } from '../shell-word.ts'
import { type Check, type Finding, fail, pass, warn } from './check.ts'
import { checkDatabaseFile } from './database-check.ts'
import { openToOthers } from './open-files.ts'
import { unfinishedFiles } from './unfinished-files.ts'

const MIN_FREE_BYTES = 200 * 1024 * 1024

/** What lies on disk: the home, its database, its secrets and what crashes left behind. */
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
    return pass(`${home} can be written`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return fail(
      `${home} cannot be written (${code})`,
      'Make it writable, or set MCP_HOME to a folder that is',
    )
  }
}

function checkSpace(home: string): Finding[] {
  if (!existsSync(home)) return []
  const { bavail, bsize } = statfsSync(home)
  const free = bavail * bsize
  const megabytes = `${Math.round(free / 1024 / 1024)} MB`
  return free < MIN_FREE_BYTES
    ? [warn(`only ${megabytes} are free on the disk of ${home}`, 'Make space: builds and logs need some')]
    : [pass(`${megabytes} free on its disk`)]
}

function checkCredentials(paths: HomePaths): Finding[] {
  const open = openToOthers(paths).map(({ path }) => path)
  if (open.length > 0)
    return [
      fail(
        `others on this machine can read ${open.join(' and ')}`,
        'Take the right away',
        `chmod go= ${open.map(shellWord).join(' ')}`,
      ),
    ]
  if (!existsSync(paths.credentials)) return [pass('no keys saved yet')]
  try {
    const names = Object.keys(readCredentials(paths.credentials).contexts)
    return [pass(`keys for ${names.join(', ') || 'no context'}; only your user can read them`)]
  } catch (error) {
    return [fail((error as Error).message, 'Correct the file, or remove it and sign in again', 'mcp login')]
  }
}

function checkLeftovers(home: string): Finding {
  const left = unfinishedFiles(home)
  if (left.length === 0) return pass('none')
  return warn(
    `${left.length} unfinished files of a crash`,
    'Remove them',
    `rm -r ${left.map(shellWord).join(' ')}`,
  )
}
