import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { LOG_DESCRIPTOR, OWN_NETWORK } from '../../shared/instance-protocol.ts'
import { moduleSandbox } from './module-sandbox.ts'
import { type NetworkWall, networkWall } from './network-wall.ts'
import { type Depth, standForNode } from './wrapped-child.ts'

/**
 * `sealed`: for handler modules, whose code runs inside the process itself. `sealedOpenNetwork`: the same with the machine's
 * network, for deployments with `allow_private_network`. `bridge`: for programs, which run next to the process and share its
 * network namespace. `open`: for everything else, which runs no user code.
 */
export type ProcessKind = 'open' | 'sealed' | 'sealedOpenNetwork' | 'bridge'

/** User code runs inside these. */
export function isSealedKind(kind: ProcessKind): boolean {
  return kind === 'sealed' || kind === 'sealedOpenNetwork'
}

export interface ProcessOptions {
  /** The bundled instance program. */
  program: string
  kind: ProcessKind
  /** Handed to the program as its only argument, so that process lists tell one from another. */
  id: string
  /** Standard output and error; opened in append mode, so the file may be renamed or emptied while it is written. */
  logPath: string
  /** Upper limit of the JavaScript heap; V8 ends the process above it. */
  memoryLimitMb: number
}

export interface StartedProcess {
  child: ChildProcess
  /** Set where `child` is bubblewrap: how far below it Node is. */
  depth: Depth | undefined
}

/**
 * Starts a host process with an IPC channel. A process that cannot be started emits `error` on the child, as
 * `child_process.spawn` does; a log file that cannot be opened throws.
 */
export function startProcess(options: ProcessOptions): StartedProcess {
  const { logPath } = options
  mkdirSync(dirname(logPath), { recursive: true, mode: 0o700 })
  const log = openSync(logPath, 'a', 0o600)
  try {
    const { command, depth, ownNetwork } = commandOf(options)
    const isSealed = isSealedKind(options.kind)
    const [file, ...args] = [...(isSealed ? fileSizeLimit() : []), ...command]
    const child = spawn(file!, args, {
      // Holds no folder that someone may want to remove or unmount.
      cwd: parse(process.execPath).root,
      env: {
        ...(depth === 2 && timeZone()),
        ...processEnvironment(process.env),
        ...(ownNetwork && { [OWN_NETWORK]: '1' }),
        ...(isSealed && { [LOG_DESCRIPTOR]: String(SEALED_LOG) }),
      },
      // User code prints by itself to pipes that the daemon empties (raw-output.ts); the log is out of its reach.
      stdio: isSealed ? ['ignore', 'pipe', 'pipe', 'ipc', log] : ['ignore', log, log, 'ipc'],
      // A process group of its own: Ctrl-C in the daemon's terminal must not cut requests that the daemon still drains.
      detached: true,
    })
    if (depth) standForNode(child, depth)
    return { child, depth }
  } finally {
    closeSync(log)
  }
}

/** Descriptor of the log in a process with user code. */
const SEALED_LOG = 4

/** A sandbox does not show /etc/localtime. */
function timeZone(): NodeJS.ProcessEnv {
  return { TZ: Intl.DateTimeFormat().resolvedOptions().timeZone }
}

/** Off until something outside answers for the namespaces: code in them has no network. */
const HAS_EGRESS = true

interface Command {
  command: string[]
  depth?: Depth
  ownNetwork?: boolean
}

function commandOf(options: ProcessOptions): Command {
  const { program, kind, id, memoryLimitMb } = options
  if (isSealedKind(kind)) return sealedCommand(options)
  const command = [process.execPath, ...nodeFlags(memoryLimitMb), program, id]
  const wall = kind === 'bridge' ? bridgeWall() : undefined
  return wall?.usable ? { command: [...wall.prefix, ...command], depth: 1, ownNetwork: true } : { command }
}

function sealedCommand({ program, kind, id, memoryLimitMb }: ProcessOptions): Command {
  const flags = nodeFlags(memoryLimitMb)
  const sandbox = moduleSandbox()
  if (!sandbox.usable)
    return { command: [...leash(), process.execPath, ...flags, ...sealedFlags(program), program, id] }
  const ownNetwork = HAS_EGRESS && kind === 'sealed' && sandbox.hasNetworks
  const nodeArguments = (inside: string) => [...flags, ...sealedFlags(inside, [inside]), inside, id]
  return { command: sandbox.command({ id, program, ownNetwork, nodeArguments }), depth: 2, ownNetwork }
}

/** The network namespace of bridges, where they have one. Without it a bridge is like any open process. */
export function bridgeWall(): NetworkWall {
  return HAS_EGRESS ? networkWall() : { usable: false, why: 'nothing leads out of a network namespace' }
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
 * A young generation of 8 MB at most: at 2 MB a call costs an eighth more processor time, at 16 MB (Node's default) no
 * less. What a burst leaves in it is given back when the process is quiet
 * (https://nodejs.org/api/cli.html#--max-semi-space-sizesize-in-mib).
 *
 * The process sets other flags of V8 when it has started (instance/tune-memory.ts): given here, nearly all of them make V8
 * refuse the compiled code of Node's own modules, which is made for its defaults, and a start takes half as long again.
 */
export function nodeFlags(memoryLimitMb: number): string[] {
  return [`--max-old-space-size=${memoryLimitMb}`, '--max-semi-space-size=8']
}

/**
 * Node's permission model (https://nodejs.org/api/permissions.html): nothing of the file system but our own program, no
 * child processes, workers, addons, WASI, inspector, FFI. SQLite opens files without asking it, so it is switched off.
 */
export function sealedFlags(program: string, names = [program, realpathSync(program)]): string[] {
  // Node resolves links before it asks, and asks for the name it was given as well.
  const readable = [...new Set(names)].flatMap(name => [name, join(dirname(name), 'instance', '*')])
  return ['--permission', ...readable.map(path => `--allow-fs-read=${path}`), ...featureFlags()]
}

/**
 * `--allow-net`: from Node 25 on the permission model denies the network as well. It is limited elsewhere. The others
 * remove modules that reach memory or files without asking the model. Warnings about flags are not the user's concern.
 */
const FEATURE_FLAGS = ['--no-experimental-sqlite', '--no-experimental-ffi', '--allow-net']

/** A flag that this Node does not know would stop the process from starting. */
function featureFlags(): string[] {
  knownFlags ??= FEATURE_FLAGS.filter(flag => process.allowedNodeEnvironmentFlags.has(flag))
  return [...knownFlags, '--disable-warning=ExperimentalWarning']
}

let knownFlags: string[] | undefined

let leashed: string[] | undefined

/**
 * What starts a process that ends with this one, whatever it is at: a loop of user code never hears that the channel is
 * closed (PR_SET_PDEATHSIG, prctl(2), by setpriv of util-linux). Where there is none, such a loop goes on.
 */
function leash(): string[] {
  leashed ??= findPrefix('setpriv', '--pdeathsig', 'KILL')
  return leashed
}

/** The rotation keeps a log far below. Whatever gets around the seals still cannot fill the disk. */
const MAX_FILE_BYTES = 256 * 1024 * 1024

let limited: string[] | undefined

/** Starts a process that cannot make a file longer than that (RLIMIT_FSIZE, setrlimit(2), by prlimit of util-linux). */
function fileSizeLimit(): string[] {
  limited ??= findPrefix('prlimit', `--fsize=${MAX_FILE_BYTES}`)
  return limited
}

/** The command that starts another one like this. Empty where it does not work. */
function findPrefix(file: string, ...args: string[]): string[] {
  if (process.platform !== 'linux') return []
  const env = processEnvironment(process.env) // which has no PATH: found is what the start will find
  return spawnSync(file, [...args, 'true'], { stdio: 'ignore', env }).status === 0 ? [file, ...args] : []
}
