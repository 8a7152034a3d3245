import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { LOG_DESCRIPTOR, OWN_NETWORK, SANDBOX_GAP } from '../../shared/instances/instance-protocol.ts'
import { type NetworkSandbox, networkSandbox } from '../../shared/sandbox/network-sandbox.ts'
import { moduleSandbox } from './module-sandbox.ts'
import { type Depth, redirectSignalsToNode } from './wrapped-child.ts'

/**
 * `sealed`: handler modules, whose code runs inside the process. `sealedOpenNetwork`: the same with the machine's network,
 * for deployments with `allow_private_network` and without `network`. `bridge`: programs, which run as children and share the
 * process's network namespace. `open`: everything else, without user code inside the process.
 */
export type ProcessKind = 'open' | 'sealed' | 'sealedOpenNetwork' | 'bridge'

/** True if user code runs inside the process. */
export function isSealedKind(kind: ProcessKind): boolean {
  return kind === 'sealed' || kind === 'sealedOpenNetwork'
}

export interface ProcessOptions {
  /** The bundled instance program. */
  program: string
  kind: ProcessKind
  /** Passed to the program as its only argument, so that process lists distinguish the processes. */
  id: string
  /** Log file. Opened in append mode, so it may be renamed or truncated while in use. */
  logPath: string
  /** Limit on the JavaScript heap. Above it, V8 aborts the process. */
  memoryLimitMb: number
  /** Port of a debugger on 127.0.0.1. Allowed for handler modules only, which then have no network namespace. */
  inspectPort?: number | undefined
}

export interface StartedProcess {
  child: ChildProcess
  /** Set when `child` is bubblewrap: number of processes above Node. */
  depth: Depth | undefined
}

/**
 * Starts a host process with an IPC channel. If it cannot be started, the child emits `error`, as with
 * `child_process.spawn`. Throws when the log file cannot be opened.
 */
export function startProcess(options: ProcessOptions): StartedProcess {
  const { logPath } = options
  mkdirSync(dirname(logPath), { recursive: true, mode: 0o700 })
  const log = openSync(logPath, 'a', 0o600)
  try {
    const { command, depth, ownNetwork, gap } = commandOf(options)
    const isSealed = isSealedKind(options.kind)
    const [file, ...args] = [...(isSealed ? fileSizeLimit() : []), ...command]
    const child = spawn(file!, args, {
      // The root, so that the process keeps no folder busy that a user may want to remove or unmount.
      cwd: parse(process.execPath).root,
      env: {
        ...(depth === 2 && timeZone()),
        ...processEnvironment(process.env),
        ...(ownNetwork && { [OWN_NETWORK]: '1' }),
        ...(gap !== undefined && { [SANDBOX_GAP]: gap }),
        ...(isSealed && { [LOG_DESCRIPTOR]: String(SEALED_LOG) }),
      },
      // Raw output of user code goes to pipes that the daemon reads (raw-output.ts). It never reaches the log unchanged.
      stdio: isSealed ? ['ignore', 'pipe', 'pipe', 'ipc', log] : ['ignore', log, log, 'ipc'],
      // Starts a separate process group, because Ctrl-C in the daemon's terminal must not abort requests that the daemon
      // drains.
      detached: true,
    })
    if (depth) redirectSignalsToNode(child, depth)
    return { child, depth }
  } finally {
    closeSync(log)
  }
}

/** Descriptor of the log in a process with user code. */
const SEALED_LOG = 4

/** The time zone as a variable, because the sandbox has no /etc/localtime. */
function timeZone(): NodeJS.ProcessEnv {
  return { TZ: Intl.DateTimeFormat().resolvedOptions().timeZone }
}

interface Command {
  command: string[]
  depth?: Depth
  ownNetwork?: boolean
  /** Why there is no OS sandbox around user code, in words that complete a sentence about the code. */
  gap?: string
}

function commandOf(options: ProcessOptions): Command {
  const { program, kind, id, memoryLimitMb } = options
  if (isSealedKind(kind)) return sealedCommand(options)
  const command = [process.execPath, ...nodeFlags(memoryLimitMb), program, id]
  const network = kind === 'bridge' ? bridgeNetwork() : undefined
  return network?.usable
    ? { command: [...network.prefix, ...command], depth: 1, ownNetwork: true }
    : { command }
}

function sealedCommand({ program, kind, id, memoryLimitMb, inspectPort }: ProcessOptions): Command {
  const flags = [...nodeFlags(memoryLimitMb), ...inspectFlags(inspectPort)]
  const sandbox = moduleSandbox()
  if (!sandbox.usable)
    return {
      command: [...dieWithParent(), process.execPath, ...flags, ...sealedFlags(program), program, id],
      gap: sandboxGap(sandbox.why),
    }
  // A debugger outside could not connect to the loopback interface of another network namespace.
  const isReachable = inspectPort !== undefined
  const ownNetwork = kind === 'sealed' && sandbox.hasNetworks && !isReachable
  const nodeArguments = (inside: string) => [...flags, ...sealedFlags(inside, [inside]), inside, id]
  return { command: sandbox.command({ id, program, ownNetwork, nodeArguments }), depth: 2, ownNetwork }
}

/** End of a sentence about handler modules without an OS sandbox. */
export function sandboxGap(why: string): string {
  return `runs under Node's permission model only, because ${why}`
}

/** Network namespace of bridges. Without it, a bridge is like any open process. */
export function bridgeNetwork(): NetworkSandbox {
  return networkSandbox()
}

/**
 * The variables of the daemon that affect dates, text and temporary files. Omits keys and tokens, and NODE_OPTIONS and
 * NODE_EXTRA_CA_CERTS, which would change or slow down every start.
 */
export function processEnvironment(from: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = ['TZ', 'LANG', 'LC_ALL', 'TMPDIR', 'SystemRoot', 'TEMP']
  const entries = kept.flatMap(name => (from[name] === undefined ? [] : [[name, from[name]]]))
  // A single glibc arena saves 0.7 MB. JavaScript allocates on one thread anyway.
  return { ...Object.fromEntries(entries), MALLOC_ARENA_MAX: '1' }
}

/**
 * Limits each semi-space of the young generation to 8 MB. At 2 MB, a call takes an eighth more processor time, and 16 MB
 * (Node's default) saves none. Memory used during a burst is released when the process is idle
 * (https://nodejs.org/api/cli.html#--max-semi-space-sizesize-in-mib).
 *
 * The process sets other V8 flags after its start (instance/host/tune-memory.ts). On the command line, nearly all of them
 * make V8 reject the compiled code of Node's built-in modules, which makes start-up 50% slower.
 */
export function nodeFlags(memoryLimitMb: number): string[] {
  return [`--max-old-space-size=${memoryLimitMb}`, '--max-semi-space-size=8']
}

/**
 * Node's permission model (https://nodejs.org/api/permissions.html): only our program in the file system, no child processes,
 * workers, addons, WASI, inspector (unless `inspectPort` is set) or FFI. SQLite opens files without a permission check, so it is
 * disabled.
 */
export function sealedFlags(program: string, names = [program, realpathSync(program)]): string[] {
  // Node checks both the given name and the resolved link.
  const readable = [...new Set(names)].flatMap(name => [name, join(dirname(name), 'instance', '*')])
  return ['--permission', ...readable.map(path => `--allow-fs-read=${path}`), ...featureFlags()]
}

/** Keeps the URL of the debugger and a warning about its flag out of the server's log. */
const QUIET_INSPECTOR = ['--inspect-publish-uid=http', '--disable-warning=PERM0004']

/** The inspector runs any code, so only the developer's own machine may reach it, and handler modules may not import it. */
function inspectFlags(port: number | undefined): string[] {
  return port === undefined ? [] : ['--allow-inspector', `--inspect=127.0.0.1:${port}`, ...QUIET_INSPECTOR]
}

/**
 * `--allow-net`: the permission model of Node 25 and later also denies the network, which is limited elsewhere. The other
 * flags remove modules that reach memory or files without a permission check.
 */
const FEATURE_FLAGS = ['--no-experimental-sqlite', '--no-experimental-ffi', '--allow-net']

/** The flags that this Node knows. An unknown flag would prevent the start. */
function featureFlags(): string[] {
  knownFlags ??= FEATURE_FLAGS.filter(flag => process.allowedNodeEnvironmentFlags.has(flag))
  return [...knownFlags, '--disable-warning=ExperimentalWarning']
}

let knownFlags: string[] | undefined

let parentDeathPrefix: string[] | undefined

/**
 * Command prefix that kills the process when the daemon dies, because an endless loop in user code does not notice the
 * closed channel (PR_SET_PDEATHSIG, prctl(2), by setpriv of util-linux). Empty without setpriv.
 */
function dieWithParent(): string[] {
  parentDeathPrefix ??= findPrefix('setpriv', '--pdeathsig', 'KILL')
  return parentDeathPrefix
}

/** Far above the rotation size of a log. Code that escapes the sandbox still cannot fill the disk. */
const MAX_FILE_BYTES = 256 * 1024 * 1024

let limited: string[] | undefined

/** Command prefix that limits the size of files (RLIMIT_FSIZE, setrlimit(2), by prlimit of util-linux). */
function fileSizeLimit(): string[] {
  limited ??= findPrefix('prlimit', `--fsize=${MAX_FILE_BYTES}`)
  return limited
}

/** Empty when the command does not work. */
function findPrefix(file: string, ...args: string[]): string[] {
  if (process.platform !== 'linux') return []
  const env = processEnvironment(process.env) // without PATH, like the actual start
  return spawnSync(file, [...args, 'true'], { stdio: 'ignore', env }).status === 0 ? [file, ...args] : []
}
