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

/** The service manager of this system, of the user alone: nothing here needs root. */
export interface ServiceManager {
  /** Where its file for the daemon lies. */
  path: string
  content(spec: ServiceSpec): string
  /** Commands that start it now and at each login. */
  enable: string[][]
  /** Commands that stop it for good. */
  disable: string[][]
  /** What a user may want to do besides. */
  hint: { description: string; command: string } | undefined
}

/** Throws UNAVAILABLE for a system without one of the two. */
export function serviceManager(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): ServiceManager {
  if (platform === 'darwin') return launchd()
  if (platform === 'linux') return systemd(env)
  throw new HostingError(
    'UNAVAILABLE',
    `There is no service manager for ${platform} here, only for systemd and launchd.`,
    {
      next: [{ description: 'Run it in the foreground under another one', command: 'mcp daemon run' }],
    },
  )
}

/** Writes the file, then enables it. Throws UNAVAILABLE with the manager's own words; the file is then gone again. */
export async function installService(manager: ServiceManager, spec: ServiceSpec): Promise<void> {
  writeFileAtomic(manager.path, manager.content(spec), 0o644)
  try {
    for (const command of manager.enable) await call(command)
  } catch (error) {
    rmSync(manager.path, { force: true })
    throw error
  }
}

/** False when it was not installed. */
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
    hint: { description: 'Keep it running while you are logged out', command: 'loginctl enable-linger' },
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
    const why = code === 'ENOENT' ? 'it is not installed' : stderr.trim() || message
    throw new HostingError('UNAVAILABLE', `${[file, ...args].join(' ')} failed: ${why}`, {
      cause: error,
      next: [{ description: 'See the file and install it by hand', command: 'mcp daemon install --print' }],
    })
  }
}
