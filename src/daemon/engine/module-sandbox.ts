import { execFile, spawnSync } from 'node:child_process'
import { constants, existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { bubblewrapFile } from '../../shared/sandbox/bubblewrap.ts'
import {
  findUserSwitch,
  switchedCommand,
  USER_SWITCH_CAPABILITIES,
  type UserSwitch,
} from '../../shared/sandbox/sandbox-user.ts'
import { NODE_INSIDE, nodeView, programView, resolverView, type View, viewArguments } from './node-view.ts'

/** Sandbox for processes that run handler modules: bubblewrap, with only Node and the instance program inside. */
export type ModuleSandbox =
  | { usable: true; hasNetworks: boolean; command(module: SandboxedModule): string[] }
  | { usable: false; why: string }

interface SandboxedModule {
  /** Id of the process. Under a root daemon, each process gets a separate user. */
  id: string
  /** The instance program on the host. Its modules are in the folder `instance` next to it. */
  program: string
  /** True when the process runs in a network namespace that has its own 127.0.0.1 and nothing else. */
  ownNetwork: boolean
  nodeArguments(program: string): string[]
}

const TRIAL_MS = 5000
const PROGRAM_FOLDER = '/mcp'

/** Separate namespaces, no privileges, and SIGKILL when the daemon dies. Later arguments override earlier ones. */
const NAMESPACE_OPTIONS = [
  '--die-with-parent',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--cap-drop',
  'ALL',
]
/** Node reads its own memory use in /proc. Read-only, because a root daemon without setpriv runs the process as root. */
const NOTHING_WRITABLE = ['--proc', '/proc', '--remount-ro', '/proc', '--remount-ro', '/', '--chdir', '/']

let found: ModuleSandbox | undefined
let searching: Promise<void> | undefined

/** Finds bubblewrap and tests it once with Node (about 50 ms), because many containers forbid what it needs. */
export function moduleSandbox(path = process.env.PATH ?? ''): ModuleSandbox {
  found ??= findModuleSandbox(path)
  return found
}

/** Makes the next call to `moduleSandbox` return immediately. The tests run in the background, once. */
export function prepareModuleSandbox(path = process.env.PATH ?? ''): Promise<void> {
  searching ??= searchInBackground(path)
  return searching
}

async function searchInBackground(path: string): Promise<void> {
  if (found) return
  const search = searchModuleSandbox(path)
  let step = search.next()
  while (!step.done) step = search.next(await tryCommand(step.value))
  found ??= step.value
}

export function findModuleSandbox(path: string): ModuleSandbox {
  const search = searchModuleSandbox(path)
  let step = search.next()
  while (!step.done) step = search.next(tryCommandSync(step.value))
  return step.value
}

/** Yields commands to try. Receives the reason why each one failed, or undefined if it worked. */
function* searchModuleSandbox(path: string): Generator<string[], ModuleSandbox, string | undefined> {
  if (process.platform !== 'linux') return { usable: false, why: 'bubblewrap is only available on Linux' }
  const bubblewrap = bubblewrapFile(path)
  if (!bubblewrap) return { usable: false, why: 'bubblewrap is not installed here' }
  if (!existsSync(`/proc/self/task/${process.pid}/children`))
    return { usable: false, why: 'this kernel does not list the children of a process' }
  const user = findUserSwitch(path)
  let failure: string | undefined
  for (const hasNetworks of [true, false])
    for (const switched of user.usable ? [user, undefined] : [undefined]) {
      const command = createSandbox(bubblewrap, switched)
      const why = yield command({ ...TRIAL, ownNetwork: hasNetworks })
      if (why === undefined) return { usable: true, hasNetworks, command }
      failure = why
    }
  return { usable: false, why: `bubblewrap does not work here (${failure})` }
}

const TRIAL = { id: 'trial', program: '/none', nodeArguments: () => ['--version'] }

type Command = (module: SandboxedModule) => string[]

function createSandbox(bubblewrap: string, user: (UserSwitch & { usable: true }) | undefined): Command {
  const node = nodeView()
  const always = new Map([...node, ...(user ? programView(user.file) : [])])
  const shown = {
    ownNetwork: viewArguments(always),
    machine: viewArguments(new Map([...always, ...resolverView(node)])),
  }
  return ({ id, program, ownNetwork, nodeArguments }) => {
    const inside = join(PROGRAM_FOLDER, basename(program))
    const run = [NODE_INSIDE, ...nodeArguments(inside)]
    const switched = user && isReadableByAll(program) ? switchedCommand(user, id, run) : undefined
    return [
      bubblewrap,
      ...NAMESPACE_OPTIONS,
      ...(ownNetwork ? ['--unshare-net'] : []),
      // A user namespace has no other user to switch to.
      ...(switched ? USER_SWITCH_CAPABILITIES : ['--unshare-user-try']),
      ...(ownNetwork ? shown.ownNetwork : shown.machine),
      ...viewArguments(programFiles(program, inside)),
      ...NOTHING_WRITABLE,
      '--',
      ...(switched ?? run),
    ]
  }
}

/** False for a program that other users cannot read. */
function isReadableByAll(program: string): boolean {
  const mode = statSync(program, { throwIfNoEntry: false })?.mode
  return mode === undefined || (mode & constants.S_IROTH) !== 0
}

function programFiles(program: string, inside: string): View {
  const files = [
    [inside, program],
    [join(PROGRAM_FOLDER, 'instance'), join(dirname(program), 'instance')],
  ] as const
  return new Map(files.filter(([, outside]) => existsSync(outside)))
}

/** Undefined when the command works. */
function tryCommandSync([file, ...args]: string[]): string | undefined {
  const { status, error, stderr } = spawnSync(file!, args, { timeout: TRIAL_MS, encoding: 'utf8', env: {} })
  if (status === 0) return undefined
  return error?.message ?? describeFailure(stderr, status)
}

function tryCommand([file, ...args]: string[]): Promise<string | undefined> {
  return new Promise(resolve => {
    execFile(file!, args, { timeout: TRIAL_MS, env: {} }, (error, _stdout, stderr) => {
      if (!error) return resolve(undefined)
      resolve(typeof error.code === 'number' ? describeFailure(stderr, error.code) : error.message)
    })
  })
}

function describeFailure(stderr: string, status: number | null): string {
  return stderr.trim().split('\n')[0] || `exit code ${status}`
}
