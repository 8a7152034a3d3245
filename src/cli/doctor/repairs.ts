import { chmodSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import type { HomePaths } from '../../shared/paths.ts'
import type { CommandContext } from '../command-context.ts'
import { findDaemon } from '../daemon-client.ts'
import { endProcess } from '../end-daemon.ts'
import { findHolder, isDaemon } from '../home-holder.ts'
import { openToOthers } from './open-files.ts'
import { unfinishedFiles } from './unfinished-files.ts'

/** Something that is wrong and can be put right without a loss. */
export interface Repair {
  name: string
  /** What is done, as a sentence: "Removed …". */
  done: string
  apply(): void | Promise<void>
}

/** Looks only; `apply` of each repairs. */
export async function findRepairs(context: CommandContext): Promise<Repair[]> {
  const { paths } = context
  return [
    ...closedModes(paths),
    ...setAside(paths.config, 'config'),
    ...setAside(paths.credentials, 'credentials'),
    ...leftovers(paths.home),
    ...(await deadDaemon(paths)),
  ]
}

/** Keys are nobody else's business. */
function closedModes(paths: HomePaths): Repair[] {
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

function leftovers(home: string): Repair[] {
  return unfinishedFiles(home).map(file => ({
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
