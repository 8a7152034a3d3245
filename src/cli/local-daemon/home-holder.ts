import { readFileSync, statSync } from 'node:fs'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'

export interface Holder {
  pid: number
  command: string
}

/**
 * Process that holds the lock of the home, whether or not it responds. Undefined when there is none and on systems without
 * /proc/locks (proc_locks(5)).
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
    return undefined // no lock yet, no /proc, or the process just exited
  }
}

/** True for a daemon of any version. */
export function isDaemon({ command }: Holder): boolean {
  return /\bdaemon\.js\b|\bmcpd\b/.test(command)
}

export function holderError(holder: Holder, { home }: HomePaths): HostingError {
  return new HostingError(
    'CONFLICT',
    `Process ${holder.pid} (${holder.command.slice(0, 120)}) holds the lock of ${home} but does not respond as its daemon.`,
    {
      details:
        'It may be a daemon of another version, or a hung one. The next start restores all deployments.',
      next: [
        { description: 'Stop it', command: `kill ${holder.pid}` },
        { description: 'Or kill it if it hangs', command: 'mcp doctor --fix' },
      ],
    },
  )
}
