import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Unprivileged user and group of one server's code. */
export interface SandboxUser {
  uid: number
  gid: number
}

/** Ability to start code as another user, with `setpriv`. */
export type UserSwitch = { usable: true; file: string; ids: IdRange } | { usable: false; why: string }

interface IdRange {
  first: number
  count: number
}

const TRIAL_MS = 5000

/** Ids that no distribution, container tool or directory service uses (https://systemd.io/UIDS-GIDS/). */
const UNUSED_IDS: IdRange = { first: 1_900_000_000, count: 1 << 20 }
/** Range for containers, which usually map only 65,536 ids. */
const CONTAINER_IDS: IdRange = { first: 30_000, count: 29_000 }

/**
 * Capabilities after `--cap-drop ALL`, for `setpriv` inside bubblewrap and for bubblewrap's `--chdir` to a private folder of
 * the user. `setpriv` drops them before it starts the code.
 */
export const USER_SWITCH_CAPABILITIES = [
  'CAP_SETUID',
  'CAP_SETGID',
  'CAP_SETPCAP',
  'CAP_DAC_READ_SEARCH',
].flatMap(name => ['--cap-add', name])

/**
 * Tests whether root can start code as another user (about 3 ms), because some containers forbid it. Without root, switching is
 * neither needed nor possible.
 */
export function findUserSwitch(path: string): UserSwitch {
  if (process.getuid?.() !== 0) return { usable: false, why: 'the daemon does not run as root' }
  const file = path
    .split(delimiter)
    .map(folder => join(folder, 'setpriv'))
    .find(candidate => isAbsolute(candidate) && existsSync(candidate))
  if (!file) return { usable: false, why: 'setpriv (util-linux) is not installed' }
  const ids = [UNUSED_IDS, CONTAINER_IDS].find(isMapped)
  if (!ids) return { usable: false, why: 'this container maps too few user ids' }
  const [command, ...args] = switchedCommand({ file, ids }, 'trial', ['/bin/sh', '-c', ':'])
  const { status, error, stderr } = spawnSync(command!, args, { timeout: TRIAL_MS, encoding: 'utf8' })
  if (status === 0) return { usable: true, file, ids }
  const why = error?.message ?? (stderr.trim().split('\n')[0] || `exit code ${status}`)
  return { usable: false, why: `setpriv does not work here (${why})` }
}

/** Always the same user for a key, so that files keep their owner across restarts. */
export function sandboxUser({ first, count }: IdRange, key: string): SandboxUser {
  const id = first + (createHash('sha256').update(key).digest().readUInt32BE() % count)
  return { uid: id, gid: id }
}

/** Command line that starts `command` without privileges. `user`: a user, or a key from which one is derived. */
export function switchedCommand(
  { file, ids }: Pick<UserSwitch & { usable: true }, 'file' | 'ids'>,
  user: string | SandboxUser,
  command: readonly string[],
): string[] {
  const { uid, gid } = typeof user === 'string' ? sandboxUser(ids, user) : user
  return [
    file,
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--bounding-set=-all',
    '--inh-caps=-all',
    '--no-new-privs',
    '--',
    ...command,
  ]
}

function isMapped(range: IdRange): boolean {
  return ['/proc/self/uid_map', '/proc/self/gid_map'].every(map => mapsRange(map, range))
}

/** Lines of `<first inside> <first outside> <count>`, see user_namespaces(7). */
function mapsRange(map: string, { first, count }: IdRange): boolean {
  const rows = readFileSync(map, 'utf8').trim().split('\n')
  return rows.some(row => {
    const [inside = 0, , length = 0] = row.trim().split(/\s+/).map(Number)
    return inside <= first && first + count <= inside + length
  })
}
