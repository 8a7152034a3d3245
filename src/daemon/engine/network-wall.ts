import { spawnSync } from 'node:child_process'
import { bubblewrapFile, findBubblewrap, SANDBOX_BASE } from '../../shared/bubblewrap.ts'
import { findUserSwitch, switchedCommand, USER_SWITCH_CAPABILITIES } from '../../shared/sandbox-user.ts'

/** Starts a process in a network namespace of its own, which has its own 127.0.0.1 and nothing else. */
export type NetworkWall = { usable: true; prefix: readonly string[] } | { usable: false; why: string }

const TRIAL_MS = 5000

let found: NetworkWall | undefined

/** For bridges of programs. Tried once (some 30 ms). */
export function networkWall(path = process.env.PATH ?? ''): NetworkWall {
  found ??= findNetworkWall(path)
  return found
}

/**
 * bubblewrap takes nothing else away here, because the program gets a sandbox of its own inside. Some systems allow no sandbox
 * within another one. There the sandbox is worth more than the network border, so there is no border.
 */
export function findNetworkWall(path: string): NetworkWall {
  if (process.platform !== 'linux')
    return { usable: false, why: 'network namespaces are only available on Linux' }
  const bubblewrap = bubblewrapFile(path)
  if (!bubblewrap) return { usable: false, why: 'bubblewrap is not installed here' }
  const prefix = [bubblewrap, '--dev-bind', '/', '/', '--unshare-net', '--']
  const alone = whyNot([...prefix, ...SHELL])
  if (alone !== undefined) return { usable: false, why: `network namespaces do not work here (${alone})` }
  const inner = findBubblewrap(path)
  if (!inner.usable) return { usable: true, prefix }
  const nested = whyNot([...prefix, ...sandboxedShell(inner.file, path)])
  if (nested === undefined) return { usable: true, prefix }
  return { usable: false, why: `programs get no sandbox within a network namespace here (${nested})` }
}

const SHELL = ['/bin/sh', '-c', ':']

/** As programs are started (src/instance/bridge/sandbox.ts). */
function sandboxedShell(bubblewrap: string, path: string): string[] {
  const user = findUserSwitch(path)
  return [
    bubblewrap,
    ...SANDBOX_BASE,
    ...(user.usable ? USER_SWITCH_CAPABILITIES : []),
    '--',
    ...(user.usable ? switchedCommand(user, 'trial', SHELL) : SHELL),
  ]
}

/** Undefined when the command works. */
function whyNot([file, ...args]: string[]): string | undefined {
  const { status, error, stderr } = spawnSync(file!, args, { timeout: TRIAL_MS, encoding: 'utf8', env: {} })
  if (status === 0) return undefined
  return error?.message ?? (stderr.trim().split('\n')[0] || `exit code ${status}`)
}
