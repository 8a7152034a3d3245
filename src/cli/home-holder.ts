import { readFileSync, statSync } from 'node:fs'
import { HostingError } from '../shared/errors.ts'
import type { HomePaths } from '../shared/paths.ts'

export interface Holder {
  pid: number
  /** Its command line. */
  command: string
}

/**
 * The process that holds the lock of the home, whether it answers as a daemon or not; undefined when there is none, and on
 * systems that do not tell (proc_locks(5)).
 */
export function findHolder(paths: HomePaths): Holder | undefined {
  try {
    const { ino } = statSync(paths.lock)
    const held = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .find(line => / WRITE /.test(line) && line.includes(`:${ino} `))
    const pid = Number(held?.trim().split(/\s+/)[4])
    if (!(pid > 0)) return undefined
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return { pid, command }
  } catch {
    return undefined // no lock yet, no /proc, or it ended just now
  }
}

/** Whether it is a daemon of this product, of whatever version. */
export function isDaemon({ command }: Holder): boolean {
  return /\bdaemon\.js\b|\bmcpd\b/.test(command)
}

export function holderError(holder: Holder, { home }: HomePaths): HostingError {
  return new HostingError(
    'CONFLICT',
    `Process ${holder.pid} (${holder.command.slice(0, 120)}) holds the home ${home}, but does not answer as its daemon.`,
    {
      details:
        'It may be a daemon of another version, or one that hangs. What it runs comes back with the next start.',
      next: [
        { description: 'End it', command: `kill ${holder.pid}` },
        { description: 'Or have it ended when it hangs', command: 'mcp doctor --fix' },
      ],
    },
  )
}
