import { spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { proofOf } from '../shared/daemon-proof.ts'
import { type ErrorBody, type ErrorCode, HostingError, type NextStep } from '../shared/errors.ts'
import type { Discovery, HomePaths } from '../shared/paths.ts'
import { VERSION } from '../shared/version.ts'
import { createApiClient } from './api-client.ts'
import type { CommandContext } from './command-context.ts'
import { LEAN_MALLOC } from './lean-malloc.ts'
import { packageRoot } from './package-root.ts'

type Surroundings = Pick<CommandContext, 'paths' | 'env' | 'output' | 'signal'>

/** A daemon that answers is looked for this long after it was started; a loaded machine is slow, not broken. */
const START_TIMEOUT_MS = 30_000
const HEALTH_TIMEOUT_MS = 5000
const POLL_MS = 5
/** When another start won the race, how long its daemon may take until it answers. */
const OTHER_START_TIMEOUT_MS = 15_000
/** How long a running daemon may take to write a damaged discovery file again. */
const REWRITE_MS = 2000
/** Room that a start needs at least: its database and its discovery file. */
const PROBE_BYTES = 64 * 1024

/** The daemon of this home, started when there is none, replaced when its version is another one's. */
export async function ensureDaemon(surroundings: Surroundings): Promise<Discovery> {
  const running = await findDaemon(surroundings.paths)
  if (!running) return startDaemon(surroundings)
  if (running.version === VERSION) return running
  surroundings.output.warn(
    `The daemon runs version ${running.version}, this mcp is ${VERSION}, which takes over now.`,
  )
  const { upgradeDaemon } = await import('./upgrade-daemon.ts')
  return upgradeDaemon(running, surroundings)
}

/**
 * The daemon that the discovery file names, if it proves that it knows the file's nonce; undefined otherwise. A pid or a port
 * alone proves nothing, both are used again.
 */
export async function findDaemon(paths: HomePaths): Promise<Discovery | undefined> {
  const discovery = readDiscovery(paths) ?? (await rewrittenDiscovery(paths))
  if (!discovery || (await proves(discovery))) return discovery
  // Another one may have taken over meanwhile, which has a nonce of its own.
  const next = readDiscovery(paths)
  return next && next.nonce !== discovery.nonce && (await proves(next)) ? next : undefined
}

async function proves(discovery: Discovery): Promise<boolean> {
  const client = createApiClient({ url: discovery.url, apiKey: undefined, timeoutMs: HEALTH_TIMEOUT_MS })
  try {
    const { challenge, answer } = proofOf(discovery.nonce)
    const health = await client.get<{ proof?: string } | undefined>('/health', { challenge })
    return health?.proof === answer
  } catch (error) {
    if (error instanceof HostingError && error.code === 'TIMEOUT') throw hung(discovery, error)
    return false
  } finally {
    client.close()
  }
}

/** Starts a daemon in the background and waits until one answers. Throws the daemon's own error when it cannot start. */
export async function startDaemon(
  { paths, env, signal }: Surroundings,
  flags: readonly string[] = [],
): Promise<Discovery> {
  const log = openLog(paths)
  const gone = readDiscovery(paths)?.nonce
  const child = spawn(process.execPath, [daemonProgram(), ...flags], {
    detached: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
    cwd: '/',
    env: daemonEnvironment(env),
  })
  closeSync(log.descriptor)
  child.unref()
  let ended: string | undefined
  child.once('error', error => (ended = error.message))
  child.once('exit', (code, killedBy) => (ended = killedBy ? `killed by ${killedBy}` : `exit code ${code}`))
  let deadline = performance.now() + START_TIMEOUT_MS
  let lost = false
  while (performance.now() < deadline) {
    // Whoever the file named before has gone, and is not asked every few milliseconds while the new one needs the processor.
    const isNamed = readDiscovery(paths)?.nonce !== gone || ended !== undefined
    const discovery = isNamed ? await findDaemon(paths) : undefined
    if (discovery) {
      // Another command was faster: what this one started must not come to life when the other's daemon is stopped.
      if (discovery.pid !== child.pid && ended === undefined) child.kill()
      return discovery
    }
    if (ended !== undefined && !lost) {
      const error = readStartError(log, ended)
      if (!isLostRace(error)) throw isDiskFull(dirname(log.path)) ? diskFull(paths.home, error) : error
      lost = true
      await askToRewrite(paths)
      deadline = performance.now() + OTHER_START_TIMEOUT_MS
    }
    await sleep(POLL_MS, undefined, { signal })
  }
  throw new HostingError(
    'TIMEOUT',
    `The daemon did not answer within ${START_TIMEOUT_MS / 1000} s of its start.`,
    {
      details: `log: ${paths.daemonLog}`,
      next: [{ description: 'Check the installation', command: 'mcp doctor' }],
    },
  )
}

export function daemonProgram(): string {
  return join(packageRoot(), 'dist', 'daemon.js')
}

/** What says who the user is stays with the user's command. */
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

/** A damaged file counts as none: the next daemon writes a new one, and a running one is asked to. */
function readDiscovery(paths: HomePaths): Discovery | undefined {
  try {
    const value = JSON.parse(readFileSync(paths.discovery, 'utf8')) as Partial<Discovery> | null
    return isDiscovery(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new HostingError('INVALID_REQUEST', `${paths.discovery} cannot be read (${code}).`, {
      cause: error,
    })
  }
}

/** Of a daemon that runs although its file is damaged. */
async function rewrittenDiscovery(paths: HomePaths): Promise<Discovery | undefined> {
  if (!existsSync(paths.discovery) || !(await askToRewrite(paths))) return undefined
  const deadline = performance.now() + REWRITE_MS
  while (performance.now() < deadline) {
    const discovery = readDiscovery(paths)
    if (discovery) return discovery
    await sleep(POLL_MS)
  }
  return undefined
}

/** False when no daemon holds the home, or the system does not say which process does. */
async function askToRewrite(paths: HomePaths): Promise<boolean> {
  const [{ findHolder, isDaemon }, { signalTo }] = await Promise.all([
    import('./home-holder.ts'),
    import('./stop-daemon.ts'),
  ])
  const holder = findHolder(paths)
  if (!holder || !isDaemon(holder)) return false
  signalTo(holder.pid, 'SIGHUP')
  return true
}

function isDiscovery(value: Partial<Discovery> | null): value is Discovery {
  return typeof value?.nonce === 'string' && /^https?:$/.test(URL.parse(String(value.url))?.protocol ?? '')
}

interface DaemonLog {
  path: string
  descriptor: number
  /** Size before the start: what follows is the new daemon's. */
  offset: number
}

function openLog(paths: HomePaths): DaemonLog {
  try {
    mkdirSync(dirname(paths.daemonLog), { recursive: true, mode: 0o700 })
    const descriptor = openSync(paths.daemonLog, 'a', 0o600)
    return { path: paths.daemonLog, descriptor, offset: statSync(paths.daemonLog).size }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT') throw diskFull(paths.home, cause)
    throw new HostingError('UNAVAILABLE', `The home ${paths.home} cannot be written (${code}).`, {
      cause,
      details: 'Make it writable, or set MCP_HOME to a folder that is.',
      next: [{ description: 'Check the installation', command: 'mcp doctor' }],
    })
  }
}

/** The `{"error":…}` line a daemon ends with when it cannot start. */
function readStartError(log: DaemonLog, ended: string): HostingError {
  const all = readFileSync(log.path)
  // A daemon truncates a log that has grown too long when it starts.
  const own = all.subarray(log.offset <= all.length ? log.offset : 0)
  const lines = own.toString('utf8').trimEnd().split('\n')
  const line = lines.findLast(one => one.startsWith('{"error":'))
  if (line === undefined)
    return new HostingError('UNAVAILABLE', `The daemon ended before it answered (${ended}).`, {
      details: [...lines.slice(-5), `log: ${log.path}`].filter(Boolean).join('\n'),
    })
  const { code, message, details, next } = (JSON.parse(line) as { error: ErrorBody & { next?: NextStep[] } })
    .error
  return new HostingError(code as ErrorCode, message, { details, next })
}

/** Tries to write: a file system may be out of inodes or quota, which its free space does not show. */
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

function diskFull(folder: string, cause: unknown): HostingError {
  return new HostingError('UNAVAILABLE', `The daemon did not start: the disk that holds ${folder} is full.`, {
    details: 'Nothing was changed. Free some space, then start the daemon again.',
    next: [{ description: 'Start it', command: 'mcp daemon start' }],
    cause,
  })
}

/** Several commands at once may each start a daemon: the home's lock lets one live. */
function isLostRace(error: HostingError): boolean {
  return error.code === 'CONFLICT' && error.message.startsWith('A daemon already runs')
}

function hung(discovery: Discovery, cause: HostingError): HostingError {
  return new HostingError(
    'TIMEOUT',
    `The daemon at ${discovery.url} (pid ${discovery.pid}) does not answer.`,
    {
      cause,
      next: [
        { description: 'See what it does', command: 'mcp daemon logs' },
        { description: 'Start it anew', command: 'mcp daemon restart' },
      ],
    },
  )
}
