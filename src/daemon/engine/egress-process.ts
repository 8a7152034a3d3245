import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { parse } from 'node:path'
import { processEnvironment } from './process-engine.ts'

const HEAP_MB = 96
/** Threads for name lookups. A name server that does not answer blocks a thread for many seconds. */
const THREADS = '16'

/**
 * Starts the egress process. It reads input from user code, so it may use only the network: no files and no child processes.
 * If it cannot be started, the child emits `error`.
 */
export function startEgressProcess(program: string): ChildProcess {
  const names = new Set([program, realpathSync(program)])
  const { allowedNodeEnvironmentFlags: known } = process
  const flags = [
    `--max-old-space-size=${HEAP_MB}`,
    '--max-semi-space-size=2',
    '--permission',
    ...[...names].map(path => `--allow-fs-read=${path}`),
    // Node 26 refuses connections without this flag.
    ...(known.has('--allow-net') ? ['--allow-net', '--disable-warning=ExperimentalWarning'] : []),
  ]
  return spawn(process.execPath, [...flags, program], {
    cwd: parse(process.execPath).root,
    env: { ...processEnvironment(process.env), UV_THREADPOOL_SIZE: THREADS },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Starts a separate process group, because Ctrl-C in the daemon's terminal must not break connections of draining
    // instances.
    detached: true,
  })
}
