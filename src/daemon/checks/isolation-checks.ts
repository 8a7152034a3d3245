import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Check, type Finding, pass, warn } from '../../shared/check.ts'
import { findContainerEngine } from '../../shared/container-engine.ts'
import { bubblewrapFile, findBubblewrap } from '../../shared/sandbox/bubblewrap.ts'
import {
  type ControlGroups,
  type Controller,
  findControlGroups,
} from '../../shared/sandbox/control-groups.ts'
import { moduleIsolationProblem } from '../../shared/sandbox/module-isolation.ts'
import { findNetworkSandbox } from '../../shared/sandbox/network-sandbox.ts'
import { findUserSwitch } from '../../shared/sandbox/sandbox-user.ts'
import type { MachineContext } from './machine-context.ts'

/** Mechanisms that isolate the code of custom servers from the rest of the machine (docs/isolation.md). */
export const ISOLATION_CHECKS: readonly Check<MachineContext>[] = [
  { name: 'modules', run: context => [checkModules(context)] },
  { name: 'programs', run: context => [checkPrograms(context)] },
  { name: 'limits', run: checkLimits },
  { name: 'containers', run: checkContainers },
  { name: 'network', run: context => [checkNetwork(context)] },
]

function checkNetwork({ env }: MachineContext): Finding {
  const network = findNetworkSandbox(env.PATH ?? '')
  if (network.usable) return pass('custom servers only reach public addresses, or what their settings permit')
  const isInstalled = bubblewrapFile(env.PATH ?? '') !== undefined
  return warn(
    `programs can reach every network, because ${network.why}. Their network settings are not enforced. The network settings of handler modules are enforced only within their process`,
    isInstalled ? 'Allow network namespaces, and sandboxes within them' : 'Install bubblewrap',
    isInstalled ? undefined : 'apt install bubblewrap',
  )
}

function checkModules({ env }: MachineContext): Finding {
  const problem = moduleIsolationProblem()
  if (problem !== undefined) return warn(problem, 'Install one of these versions of Node')
  if (process.platform === 'linux') {
    const bubblewrap = findBubblewrap(env.PATH ?? '')
    if (bubblewrap.usable)
      return pass("handler modules run in bubblewrap and under Node's permission model, with limited memory")
    return warn(
      `handler modules run under Node's permission model only, because ${bubblewrap.why}`,
      'Install it, or allow user namespaces',
      'apt install bubblewrap',
    )
  }
  return warn(
    "handler modules run under Node's permission model. This system does not limit the memory of their Buffers",
    'Run untrusted modules on Linux',
  )
}

/** Only `mcp deploy --image` needs an engine, so a missing one is not a failure. */
async function checkContainers({ env }: MachineContext): Promise<Finding[]> {
  const found = await findContainerEngine(env)
  if (!found.usable) {
    const isAbsent = / is not installed$/.test(found.why) && !env.MCP_CONTAINER_ENGINE
    const message = `mcp deploy --image is not available: ${found.why}`
    return isAbsent
      ? [pass(`not available (only mcp deploy --image needs them): ${found.why}`)]
      : [warn(message, 'Fix the engine, or set MCP_CONTAINER_ENGINE to another engine')]
  }
  const { name, version, file, rootless, withoutLimits } = found.engine
  const sentence = `run with ${name} ${version} (${file}${rootless ? ', rootless' : ''})`
  if (withoutLimits.length === 0) return [pass(sentence)]
  return [
    warn(
      `${sentence}, which cannot limit ${withoutLimits.join(', ')}, because its user lacks these cgroup controllers`,
      'Let systemd delegate them to your user (Delegate=memory pids cpu)',
    ),
  ]
}

function checkPrograms({ env }: MachineContext): Finding {
  if (process.platform !== 'linux')
    return warn(
      'programs (--command) have all your permissions, because bubblewrap is only available on Linux',
      'Run untrusted programs in a container or on Linux',
    )
  const bubblewrap = findBubblewrap(env.PATH ?? '')
  if (bubblewrap.usable) return checkProgramUser(bubblewrap.file, env.PATH ?? '')
  return warn(
    `programs (--command) have all your permissions, because ${bubblewrap.why}. Their memory and processes are watched`,
    'Install it, or allow user namespaces',
    'apt install bubblewrap',
  )
}

function checkLimits({ env, daemonPid }: MachineContext): Finding[] {
  const limits = pass(describeLimits(findControlGroups(daemonPid)))
  if (process.platform !== 'linux' || isInstalled('prlimit', env.PATH)) return [limits]
  return [
    limits,
    warn(
      'prlimit (util-linux) is not installed: files written by handler modules have no size limit, and a fork bomb is stopped only by the periodic process count',
      'Install it',
      'apt install util-linux',
    ),
  ]
}

function isInstalled(command: string, path = ''): boolean {
  return path.split(delimiter).some(folder => folder !== '' && existsSync(join(folder, command)))
}

/** Names the mechanism that enforces each limit on programs. */
export function describeLimits(groups: ControlGroups | undefined, platform = process.platform): string {
  if (platform !== 'linux') return 'limits on programs are not enforced on this system'
  const by = (name: Controller) => (groups?.parents.has(name) ? `cgroup v${groups.version}` : undefined)
  const none = 'none (limits.cpus requires the daemon to run as a systemd service: `mcp daemon install`)'
  const [memory, processes, processor] = [
    by('memory') ?? 'watched',
    by('pids') ?? 'watched',
    by('cpu') ?? none,
  ]
  return `limits on programs: memory ${memory}, processes ${processes}, processor ${processor}`
}

/** Reports whether a daemon started by root can run programs as unprivileged users. */
function checkProgramUser(bubblewrap: string, path: string): Finding {
  const sentence = `programs (--command) run in ${bubblewrap}, and their memory and processes are watched`
  if (process.getuid?.() !== 0) return pass(sentence)
  const userSwitch = findUserSwitch(path)
  if (userSwitch.usable) return pass(`${sentence}. A daemon that runs as root runs them as separate users`)
  return warn(
    `${sentence}. A daemon that runs as root runs them as root, because ${userSwitch.why}`,
    'Run the daemon as an ordinary user, or install setpriv',
    'apt install util-linux',
  )
}
