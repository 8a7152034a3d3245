import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import type { HomePaths } from '../../shared/paths.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { findDaemon } from '../local-daemon/find-daemon.ts'
import { findHolder, isDaemon } from '../local-daemon/home-holder.ts'
import { killProcess } from '../local-daemon/process.ts'

/** A repair that loses no data. */
export interface Repair {
  name: string
  /** Sentence that describes the repair: "Removed …". */
  done: string
  apply(): void | Promise<void>
}

/** Repairs of configuration files and the daemon's process, not yet applied. See also src/daemon/checks/repair-home.ts. */
export async function findRepairs(context: CommandContext): Promise<Repair[]> {
  const { paths } = context
  return [
    ...replaceInvalidFile(paths.config, 'config'),
    ...replaceInvalidFile(paths.credentials, 'credentials'),
    ...(await killHungOrClean(paths)),
  ]
}

/** Moves an invalid JSON file aside. */
function replaceInvalidFile(file: string, name: string): Repair[] {
  if (!existsSync(file) || isJson(file)) return []
  const kept = `${file}.damaged-${new Date().toISOString().replace(/[:.]/g, '-')}`
  return [
    {
      name,
      done: `Moved ${file}, which is not valid JSON, to ${kept}. A new file is created when needed`,
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

/** Repairs for a hung daemon, or for the leftovers of a dead daemon. Safe because all state is in the database. */
async function killHungOrClean(paths: HomePaths): Promise<Repair[]> {
  const running = await findDaemon(paths).catch(() => undefined)
  if (running) return []
  const holder = findHolder(paths)
  if (holder && isDaemon(holder))
    return [
      {
        name: 'daemon',
        done: `Killed the daemon (pid ${holder.pid}), which did not respond`,
        apply: () => killProcess(holder.pid),
      },
      ...removeDiscovery(paths),
    ]
  return holder ? [] : removeDiscovery(paths)
}

function removeDiscovery({ discovery }: HomePaths): Repair[] {
  if (!existsSync(discovery)) return []
  return [
    {
      name: 'daemon',
      done: `Removed ${discovery}, left by a daemon that is no longer running`,
      apply: () => rmSync(discovery, { force: true }),
    },
  ]
}
