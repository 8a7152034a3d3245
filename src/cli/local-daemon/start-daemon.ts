import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostingError } from '../../shared/errors.ts'
import type { Discovery, HomePaths } from '../../shared/paths.ts'
import { printedError } from '../../shared/printed-error.ts'
import { VERSION } from '../../shared/version.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { findDaemon, readDiscovery, requestRewrite } from './find-daemon.ts'
import { packageRoot } from './package-root.ts'

type DaemonContext = Pick<CommandContext, 'paths' | 'env' | 'output' | 'signal'>

/** Generous, because a loaded machine may be slow. */
const START_TIMEOUT_MS = 30_000
const POLL_MS = 5
/** Time for the daemon of a concurrent start to respond. */
const OTHER_START_TIMEOUT_MS = 15_000
/** Minimum disk space for a start: database and discovery file. */
const PROBE_BYTES = 64 * 1024
/** One glibc arena for all threads of a daemon. Saves 4 MB with a few hundred servers. Other systems ignore it. */
export const LEAN_MALLOC = { MALLOC_ARENA_MAX: '1' }

/** Daemon of this home. Starts the daemon if necessary, and upgrades a daemon of another version. */
export async function ensureDaemon(context: DaemonContext): Promise<Discovery> {
  const running = await findDaemon(context.paths)
  if (!running) return startDaemon(context)
  if (running.version === VERSION) return running
  context.output.warn(
    `The daemon has version ${running.version} and mcp has ${VERSION}. Upgrading the daemon.`,
  )
  const { upgradeDaemon } = await import('./upgrade-daemon.ts')
  return upgradeDaemon(running, context)
}

/** Starts a daemon in the background and waits until it responds. Throws the daemon's own error when it cannot start. */
export async function startDaemon(
  { paths, env, signal }: DaemonContext,
  flags: readonly string[] = [],
): Promise<Discovery> {
  const log = openLog(paths)
  const previousNonce = readDiscovery(paths)?.nonce
  const child = spawn(process.execPath, [daemonProgram(), ...flags], {
    detached: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
    cwd: '/',
    env: daemonEnvironment(env),
  })
  closeSync(log.descriptor)
  child.unref()
  let exitReason: string | undefined
  child.once('error', error => (exitReason = error.message))
  child.once(
    'exit',
    (code, killedBy) => (exitReason = killedBy ? `killed by ${killedBy}` : `exit code ${code}`),
  )
  let timeoutMs = START_TIMEOUT_MS
  let deadline = performance.now() + timeoutMs
  let lostRace = false
  while (performance.now() < deadline) {
    // An unchanged discovery file names the previous daemon, which has exited. Polling the previous daemon would only slow down
    // the new one.
    const isNew = readDiscovery(paths)?.nonce !== previousNonce || exitReason !== undefined
    const discovery = isNew ? await findDaemon(paths) : undefined
    if (discovery) {
      // A concurrent start was faster. This daemon must not take over when the other daemon is stopped.
      if (discovery.pid !== child.pid && exitReason === undefined) child.kill()
      return discovery
    }
    if (exitReason !== undefined && !lostRace) {
      const error = readStartError(log, exitReason)
      if (!isLostRace(error)) throw isDiskFull(dirname(log.path)) ? diskFullError(paths.home, error) : error
      lostRace = true
      await requestRewrite(paths)
      timeoutMs = OTHER_START_TIMEOUT_MS
      deadline = performance.now() + timeoutMs
    }
    await sleep(POLL_MS, undefined, { signal })
  }
  throw new HostingError('TIMEOUT', `The daemon did not respond within ${timeoutMs / 1000} s.`, {
    details: `log: ${paths.daemonLog}`,
    next: [{ description: 'Check the installation', command: 'mcp doctor' }],
  })
}

export function daemonProgram(): string {
  return join(packageRoot(), 'dist', 'daemon.js')
}

/** Drops variables that only concern commands, such as the API key. */
export function daemonEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const {
    MCP_API_KEY: _key,
    MCP_CLIENT_SECRET: _secret,
    MCP_API_URL: _url,
    MCP_CONTEXT: _context,
    ...rest
  } = env
  return { ...LEAN_MALLOC, ...rest }
}

interface DaemonLog {
  path: string
  descriptor: number
  /** Size before the start. Later lines are from the new daemon. */
  offset: number
}

function openLog(paths: HomePaths): DaemonLog {
  try {
    mkdirSync(dirname(paths.daemonLog), { recursive: true, mode: 0o700 })
    const descriptor = openSync(paths.daemonLog, 'a', 0o600)
    return { path: paths.daemonLog, descriptor, offset: statSync(paths.daemonLog).size }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT') throw diskFullError(paths.home, cause)
    throw new HostingError('UNAVAILABLE', `The home ${paths.home} is not writable (${code}).`, {
      cause,
      details: 'Make it writable, or set MCP_HOME to a writable folder.',
      next: [{ description: 'Check the installation', command: 'mcp doctor' }],
    })
  }
}

/** The error that a daemon writes when it cannot start. */
function readStartError(log: DaemonLog, exitReason: string): HostingError {
  const all = readFileSync(log.path)
  // A starting daemon truncates a log that is too long.
  const own = all.subarray(log.offset <= all.length ? log.offset : 0)
  const lines = own.toString('utf8').trimEnd().split('\n')
  return (
    printedError(lines) ??
    new HostingError('UNAVAILABLE', `The daemon exited before it responded (${exitReason}).`, {
      details: [...lines.slice(-5), `log: ${log.path}`].filter(Boolean).join('\n'),
    })
  )
}

/** Writes a probe file, because free space does not show exhausted inodes or quota. */
function isDiskFull(folder: string): boolean {
  const probe = join(folder, `.probe-${process.pid}`)
  try {
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES))
    return false
  } catch (error) {
    return /^(ENOSPC|EDQUOT)$/.test(String((error as NodeJS.ErrnoException).code))
  } finally {
    rmSync(probe, { force: true })
  }
}

function diskFullError(folder: string, cause: unknown): HostingError {
  return new HostingError('UNAVAILABLE', `The daemon did not start: the disk that holds ${folder} is full.`, {
    details: 'Nothing was changed. Free some disk space, then start the daemon again.',
    next: [{ description: 'Start it', command: 'mcp daemon start' }],
    cause,
  })
}

/** Concurrent commands may each start a daemon. The home's lock lets only one run. */
function isLostRace(error: HostingError): boolean {
  return error.code === 'CONFLICT' && error.message.startsWith('A daemon is already running')
}
