import { closeSync, existsSync, mkdirSync, openSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { type Check, type Finding, fail, pass, warn } from '../../shared/check.ts'
import { counted } from '../../shared/counted.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import { unfinishedFiles } from '../../shared/unfinished-files.ts'
import { checkDatabaseFile } from './database-check.ts'
import type { MachineContext } from './machine-context.ts'
import { findOpenFiles } from './open-files.ts'

const MIN_FREE_BYTES = 200 * 1024 * 1024

/** Files on disk: the home, its database and leftovers from crashes. */
export const HOME_CHECKS: readonly Check<MachineContext>[] = [
  { name: 'home', run: ({ paths }) => [checkWritable(paths.home), ...checkSpace(paths.home)] },
  { name: 'database', run: async context => [await checkDatabaseFile(context)] },
  { name: 'permissions', run: ({ paths }) => [checkPermissions(paths)] },
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

function checkPermissions(paths: HomePaths): Finding {
  const open = findOpenFiles(paths).map(({ path }) => path)
  if (open.length === 0) return pass('other users on this machine cannot read private files')
  return fail(
    `other users on this machine can read ${open.join(' and ')}`,
    'Remove their access',
    `chmod go= ${open.map(quoteShellWord).join(' ')}`,
  )
}

function checkLeftovers(home: string): Finding {
  const left = unfinishedFiles(home)
  if (left.length === 0) return pass('none')
  return warn(
    `${counted(left.length, 'unfinished file')} left by a crash`,
    'Remove them',
    `rm -r ${left.map(quoteShellWord).join(' ')}`,
  )
}
