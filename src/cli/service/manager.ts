import { execFile } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { promisify } from 'node:util'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { HostingError } from '../../shared/errors.ts'
import {
  LAUNCHD_LABEL,
  launchdAgent,
  launchdAgentPath,
  type ServiceSpec,
  SYSTEMD_UNIT,
  systemdUnit,
  systemdUnitPath,
} from './unit.ts'

/** The user's service manager, which does not need root. */
export interface ServiceManager {
  /** Path of the daemon's unit file. */
  path: string
  content(spec: ServiceSpec): string
  /** Commands that start the daemon now and at each login. */
  enable: string[][]
  /** Commands that stop the daemon permanently. */
  disable: string[][]
  /** Optional next step for the user. */
  hint: { description: string; command: string } | undefined
}

/** Throws UNAVAILABLE without systemd or launchd. */
export function serviceManager(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): ServiceManager {
  if (platform === 'darwin') return launchd()
  if (platform === 'linux') return systemd(env)
  throw new HostingError(
    'UNAVAILABLE',
    `Services are not supported on ${platform}, only with systemd and launchd.`,
    {
      next: [
        {
          description: 'Run the daemon in the foreground under another service manager',
          command: 'mcp daemon run',
        },
      ],
    },
  )
}

/** Writes and enables the unit file. On failure, removes the file and throws UNAVAILABLE with the manager's message. */
export async function installService(manager: ServiceManager, spec: ServiceSpec): Promise<void> {
  writeFileAtomic(manager.path, manager.content(spec), 0o644)
  try {
    for (const command of manager.enable) await call(command)
  } catch (error) {
    rmSync(manager.path, { force: true })
    throw error
  }
}

/** Returns false when the service was not installed. */
export async function uninstallService(manager: ServiceManager): Promise<boolean> {
  if (!existsSync(manager.path)) return false
  for (const command of manager.disable) await call(command)
  rmSync(manager.path, { force: true })
  return true
}

function systemd(env: NodeJS.ProcessEnv): ServiceManager {
  return {
    path: systemdUnitPath(env, homedir()),
    content: systemdUnit,
    enable: [
      ['systemctl', '--user', 'daemon-reload'],
      ['systemctl', '--user', 'enable', '--now', SYSTEMD_UNIT],
    ],
    disable: [['systemctl', '--user', 'disable', '--now', SYSTEMD_UNIT]],
    hint: {
      description: 'Keep the daemon running while you are logged out',
      command: 'loginctl enable-linger',
    },
  }
}

function launchd(): ServiceManager {
  const path = launchdAgentPath(homedir())
  const domain = `gui/${userInfo().uid}`
  return {
    path,
    content: launchdAgent,
    enable: [['launchctl', 'bootstrap', domain, path]],
    disable: [['launchctl', 'bootout', `${domain}/${LAUNCHD_LABEL}`]],
    hint: undefined,
  }
}

async function call([file, ...args]: string[]): Promise<void> {
  try {
    await promisify(execFile)(file!, args, { timeout: 60_000 })
  } catch (error) {
    const { stderr = '', code, message } = error as { stderr?: string; code?: unknown; message: string }
    const why = code === 'ENOENT' ? `${file} is not installed` : stderr.trim() || message
    throw new HostingError('UNAVAILABLE', `${[file, ...args].join(' ')} failed: ${why}`, {
      cause: error,
      next: [{ description: 'Print the file and install it by hand', command: 'mcp daemon install --print' }],
    })
  }
}
