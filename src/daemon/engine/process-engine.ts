import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname, parse } from 'node:path'

export interface ProcessOptions {
  /** The bundled instance program. */
  program: string
  /** Handed to the program as its only argument, so that process lists tell one from another. */
  id: string
  /** Standard output and error; opened in append mode, so the file may be renamed or emptied while it is written. */
  logPath: string
  /** Upper limit of the JavaScript heap; V8 ends the process above it. */
  memoryLimitMb: number
}

/**
 * Starts a host process with an IPC channel. A process that cannot be started emits `error` on the child, as
 * `child_process.spawn` does; a log file that cannot be opened throws.
 */
export function startProcess({ program, id, logPath, memoryLimitMb }: ProcessOptions): ChildProcess {
  mkdirSync(dirname(logPath), { recursive: true, mode: 0o700 })
  const log = openSync(logPath, 'a', 0o600)
  try {
    return spawn(process.execPath, [...nodeFlags(memoryLimitMb), program, id], {
      // Holds no folder that someone may want to remove or unmount.
      cwd: parse(process.execPath).root,
      env: processEnvironment(process.env),
      stdio: ['ignore', log, log, 'ipc'],
      // A process group of its own: Ctrl-C in the daemon's terminal must not cut requests that the daemon still drains.
      detached: true,
    })
  } finally {
    closeSync(log)
  }
}

/**
 * Nothing of the daemon's own environment but what changes the meaning of dates and texts: keys and tokens stay out,
 * and so do NODE_OPTIONS and NODE_EXTRA_CA_CERTS, which would change or slow every start.
 */
export function processEnvironment(from: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = ['TZ', 'LANG', 'LC_ALL', 'TMPDIR', 'SystemRoot', 'TEMP']
  const entries = kept.flatMap(name => (from[name] === undefined ? [] : [[name, from[name]]]))
  // One arena of glibc for all threads of the process saves 0.7 MB; JavaScript allocates on one thread anyway.
  return { ...Object.fromEntries(entries), MALLOC_ARENA_MAX: '1' }
}

/**
 * Node's default young generation, whatever Node makes of a small heap: at 1 MB a burst costs a third more processor time,
 * and what it leaves behind is given back when the process is quiet (https://nodejs.org/api/cli.html#--max-semi-space-sizesize-in-mib).
 */
export function nodeFlags(memoryLimitMb: number): string[] {
  return [`--max-old-space-size=${memoryLimitMb}`, '--max-semi-space-size=16']
}
