import { spawnSync } from 'node:child_process'
import { bubblewrapFile, findBubblewrap, SANDBOX_BASE } from './bubblewrap.ts'
import { findUserSwitch, switchedCommand, USER_SWITCH_CAPABILITIES } from './sandbox-user.ts'

/** Command prefix that starts a process in its own network namespace, which has its own 127.0.0.1 and nothing else. */
export type NetworkSandbox = { usable: true; prefix: readonly string[] } | { usable: false; why: string }

const TRIAL_MS = 5000

let found: NetworkSandbox | undefined

/** Network namespace for bridges of programs. Tested once (about 30 ms). */
export function networkSandbox(path = process.env.PATH ?? ''): NetworkSandbox {
  found ??= findNetworkSandbox(path)
  return found
}

/**
 * Tests whether a network namespace can be used. bubblewrap restricts nothing else here, because the program gets its own sandbox
 * inside it. Some systems do not allow nested sandboxes. The sandbox matters more than the network border, so the namespace
 * counts as unusable there.
 */
export function findNetworkSandbox(path: string): NetworkSandbox {
  if (process.platform !== 'linux')
    return { usable: false, why: 'network namespaces are only available on Linux' }
  const bubblewrap = bubblewrapFile(path)
  if (!bubblewrap) return { usable: false, why: 'bubblewrap is not installed here' }
  const prefix = [bubblewrap, '--dev-bind', '/', '/', '--unshare-net', '--']
  const alone = failureReason([...prefix, ...SHELL])
  if (alone !== undefined) return { usable: false, why: `network namespaces do not work here (${alone})` }
  const inner = findBubblewrap(path)
  if (!inner.usable) return { usable: true, prefix }
  const nested = failureReason([...prefix, ...sandboxedShell(inner.file, path)])
  if (nested === undefined) return { usable: true, prefix }
  return { usable: false, why: `programs get no sandbox within a network namespace here (${nested})` }
}

const SHELL = ['/bin/sh', '-c', ':']

/** Command that starts a shell in a sandbox, as src/instance/bridge/process/sandbox.ts starts a program. */
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
function failureReason([file, ...args]: string[]): string | undefined {
  const { status, error, stderr } = spawnSync(file!, args, { timeout: TRIAL_MS, encoding: 'utf8', env: {} })
  if (status === 0) return undefined
  return error?.message ?? (stderr.trim().split('\n')[0] || `exit code ${status}`)
}
