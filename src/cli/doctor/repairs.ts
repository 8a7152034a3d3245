import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { HomePaths } from '../../shared/paths.ts'
import type { CommandContext } from '../command-context.ts'
import { findDaemon } from '../daemon-client.ts'
import { endProcess } from '../end-daemon.ts'
import { findHolder, isDaemon } from '../home-holder.ts'
import { openToOthers } from './open-files.ts'

/** Something that is wrong and can be put right without a loss. */
export interface Repair {
  name: string
  /** What is done, as a sentence: "Removed …". */
  done: string
  apply(): void | Promise<void>
}

const UNFINISHED = /\.[0-9a-f]{12}\.tmp$/
/** A write that is under way takes no minute. */
const UNFINISHED_AFTER_MS = 60_000

/** Looks only; `apply` of each repairs. */
export async function findRepairs(context: CommandContext): Promise<Repair[]> {
  const { paths } = context
  return [
    ...closedModes(paths),
    ...setAside(paths.config, 'config'),
    ...setAside(paths.credentials, 'credentials'),
    ...unfinishedFiles(paths.home),
    ...(await deadDaemon(paths)),
  ]
}

/** Keys are nobody else's business. */
function closedModes(paths: HomePaths): Repair[] {
  if (process.platform === 'win32') return []
  return openToOthers(paths).map(({ path, mode }) => ({
    name: 'credentials',
    done: `Took the right to read ${path} from other users`,
    apply: () => chmodSync(path, mode),
  }))
}

/** A file that is no JSON any more leads nowhere; it is kept beside a new one. */
function setAside(file: string, name: string): Repair[] {
  if (!existsSync(file) || isJson(file)) return []
  const kept = `${file}.damaged-${new Date().toISOString().replace(/[:.]/g, '-')}`
  return [
    {
      name,
      done: `Moved ${file}, which is no JSON, to ${kept}; a new one is made when it is needed`,
      apply: () => renameSync(file, kept),
    },
  ]
}

function isJson(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'))
    return true
  } catch {
    return false
  }
}

/** What a crash left of atomic writes (shared/atomic-file.ts). */
function unfinishedFiles(home: string): Repair[] {
  if (!existsSync(home)) return []
  const limit = Date.now() - UNFINISHED_AFTER_MS
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter(name => UNFINISHED.test(name))
    .map(name => join(home, name))
    .filter(file => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? limit) < limit)
    .map(file => ({
      name: 'leftovers',
      done: `Removed ${file}, which was never finished`,
      apply: () => rmSync(file, { recursive: true, force: true }),
    }))
}

/** One that hangs, and what one that died left: all it must know is in the database. */
async function deadDaemon(paths: HomePaths): Promise<Repair[]> {
  const answers = await findDaemon(paths).catch(() => undefined)
  if (answers) return []
  const holder = findHolder(paths)
  if (holder && isDaemon(holder))
    return [
      {
        name: 'daemon',
        done: `Ended the daemon with the process id ${holder.pid}, which did not answer`,
        apply: () => endProcess(holder.pid),
      },
      ...discoveryFile(paths),
    ]
  return holder ? [] : discoveryFile(paths)
}

function discoveryFile({ discovery }: HomePaths): Repair[] {
  if (!existsSync(discovery)) return []
  return [
    {
      name: 'daemon',
      done: `Removed ${discovery} of a daemon that does not run any more`,
      apply: () => rmSync(discovery, { force: true }),
    },
  ]
}
