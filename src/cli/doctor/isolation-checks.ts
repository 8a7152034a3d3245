import { spawnSync } from 'node:child_process'
import { bubblewrapFile, findBubblewrap } from '../../shared/bubblewrap.ts'
import { findContainerEngine } from '../../shared/container-engine.ts'
import { type ControlGroups, type Controller, findControlGroups } from '../../shared/control-groups.ts'
import { HostingError } from '../../shared/errors.ts'
import { findUserSwitch } from '../../shared/sandbox-user.ts'
import { unsealableNode } from '../../shared/sealed-node.ts'
import type { CommandContext } from '../command-context.ts'
import { findDaemon } from '../daemon-client.ts'
import { type Check, type Finding, pass, warn } from './check.ts'

/** What keeps the code of custom servers from the rest of the machine, and what does not (docs/isolation.md). */
export const ISOLATION_CHECKS: readonly Check[] = [
  { name: 'modules', run: context => [checkModules(context)] },
  { name: 'programs', run: context => [checkPrograms(context)] },
  {
    name: 'limits',
    run: async context => [pass(describeLimits(findControlGroups(await daemonPid(context))))],
  },
  { name: 'containers', run: checkContainers },
  { name: 'network', run: context => [checkNetwork(context)] },
]

const TRIAL_MS = 5000

function checkNetwork({ env }: CommandContext): Finding {
  const file = bubblewrapFile(env.PATH ?? '')
  const args = ['--dev-bind', '/', '/', '--unshare-net', '--', '/bin/sh', '-c', ':']
  if (file && spawnSync(file, args, { timeout: TRIAL_MS, env: {} }).status === 0)
    return pass(
      'of custom servers ends at the network border: only public addresses, or what their settings permit',
    )
  return warn(
    'nothing outside of custom servers keeps their network settings: modules keep them within their process, programs reach every network',
    file ? 'Allow network namespaces' : 'Install bubblewrap',
    file ? undefined : 'apt install bubblewrap',
  )
}

function checkModules({ env }: CommandContext): Finding {
  const problem = unsealableNode()
  if (problem !== undefined) return warn(problem, 'Install one of these versions of Node')
  if (process.platform === 'linux') {
    const bubblewrap = findBubblewrap(env.PATH ?? '')
    if (bubblewrap.usable)
      return pass(
        "handler modules run inside bubblewrap and under Node's permission model, with limited memory",
      )
    return warn(
      `handler modules run under Node's permission model only, because ${bubblewrap.why}`,
      'Install it, or allow user namespaces',
      'apt install bubblewrap',
    )
  }
  return warn(
    "handler modules run under Node's permission model; on this system nothing limits what they hold in Buffers",
    'Run modules that you do not trust on Linux',
  )
}

/** Only `mcp deploy --image` needs an engine: to have none is nothing wrong. */
async function checkContainers({ env }: CommandContext): Promise<Finding[]> {
  const found = await findContainerEngine(env)
  if (!found.usable) {
    const isAbsent = / is not installed$/.test(found.why) && !env.MCP_CONTAINER_ENGINE
    const message = `mcp deploy --image cannot run here: ${found.why}`
    return isAbsent
      ? [pass(`cannot be run (only mcp deploy --image needs them): ${found.why}`)]
      : [warn(message, 'Correct that, or name another one with MCP_CONTAINER_ENGINE')]
  }
  const { name, version, file, rootless, withoutLimits } = found.engine
  const sentence = `are run by ${name} ${version} (${file}${rootless ? ', rootless' : ''})`
  if (withoutLimits.length === 0) return [pass(sentence)]
  return [
    warn(
      `${sentence}, which cannot limit ${withoutLimits.join(', ')}: its user has not got these cgroup controllers`,
      'Have systemd delegate them to your user (Delegate=memory pids cpu)',
    ),
  ]
}

function checkPrograms({ env }: CommandContext): Finding {
  if (process.platform !== 'linux')
    return warn(
      'programs (--command) may do what you may do: bubblewrap, which would keep them apart, is for Linux',
      'Run programs that you do not trust in a container or on Linux',
    )
  const bubblewrap = findBubblewrap(env.PATH ?? '')
  if (bubblewrap.usable) return checkProgramUser(bubblewrap.file, env.PATH ?? '')
  return warn(
    `programs (--command) may do what you may do: ${bubblewrap.why}; their memory and processes are watched`,
    'Install it, or allow user namespaces',
    'apt install bubblewrap',
  )
}

/** The running daemon may have control groups that this terminal does not have. */
async function daemonPid({ paths }: CommandContext): Promise<number | undefined> {
  try {
    return (await findDaemon(paths))?.pid
  } catch (error) {
    if (error instanceof HostingError) return undefined // reported by the check of the daemon
    throw error
  }
}

/** Mechanism that enforces each limit of programs. */
export function describeLimits(groups: ControlGroups | undefined, platform = process.platform): string {
  if (platform !== 'linux') return 'limits of programs are not enforced on this system'
  const by = (name: Controller) => (groups?.parents.has(name) ? `cgroup v${groups.version}` : undefined)
  const none = 'none (limits.cpus needs the daemon to run as a service of systemd: `mcp daemon install`)'
  const [memory, processes, processor] = [
    by('memory') ?? 'watched',
    by('pids') ?? 'watched',
    by('cpu') ?? none,
  ]
  return `limits of programs: memory ${memory}, processes ${processes}, processor ${processor}`
}

/** A daemon that root starts gives programs users without privileges. */
function checkProgramUser(bubblewrap: string, path: string): Finding {
  const sentence = `programs (--command) run inside of ${bubblewrap}, and their memory and processes are watched`
  if (process.getuid?.() !== 0) return pass(sentence)
  const userSwitch = findUserSwitch(path)
  if (userSwitch.usable) return pass(`${sentence}; of a daemon of root they run as users of their own`)
  return warn(
    `${sentence}; of a daemon of root they run as root: ${userSwitch.why}`,
    'Run the daemon as an ordinary user, or install setpriv',
    'apt install util-linux',
  )
}
