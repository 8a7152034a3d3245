import { join } from 'node:path'
import { DAEMON_GROUP } from '../../shared/sandbox/control-groups.ts'
import { LEAN_MALLOC } from '../local-daemon/start-daemon.ts'

/** Input of a unit file. */
export interface ServiceSpec {
  /** Absolute paths of Node and the daemon program. */
  node: string
  program: string
  /** Environment variables of the daemon. */
  env: Record<string, string>
  logPath: string
}

export const SYSTEMD_UNIT = 'mcp-hosting.service'
export const LAUNCHD_LABEL = 'dev.mcp-hosting.daemon'

/** Variables that locate or configure a daemon. A service must not inherit the rest of a terminal's environment. */
const KEPT_VARIABLES =
  /^(?:MCP_(?:HOME|PORT|NAMED_PORT|NAMED_TLS_PORT|WARM_SPARES|ENTERPRISE_LIMIT|INSTANCE_MEMORY_MB|IMAGE_REPOSITORY|BACKUP)|XDG_(?:DATA|CONFIG)_HOME|DOCKER_CONFIG|PATH)$/

export function serviceEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => KEPT_VARIABLES.test(entry[0]) && entry[1] !== undefined,
  )
  return { ...LEAN_MALLOC, ...Object.fromEntries(kept) }
}

/**
 * Only arguments of a command escape `$`. systemd expands variables neither in the path of a program nor in `Environment=`.
 * https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html
 */
export function systemdUnit({ node, program, env }: ServiceSpec): string {
  return `[Unit]
Description=mcp-hosting: builds, deploys and hosts MCP servers

[Service]
ExecStart=${systemdQuote(node)} ${systemdQuote(program).replaceAll('$', '$$$$')}
${Object.entries(env)
  .map(([name, value]) => `Environment=${systemdQuote(`${name}=${value}`)}`)
  .join('\n')}
# Only the daemon receives SIGTERM. It drains its servers, then stops them.
KillMode=mixed
# Programs run in control groups with limits, next to that of the daemon. (systemd before 254 ignores the second line.)
Delegate=cpu memory pids
DelegateSubgroup=${DAEMON_GROUP}
# A daemon that took over (mcp daemon upgrade) reports itself as the main process.
NotifyAccess=all
TimeoutStopSec=30
Restart=on-failure
RestartSec=1

[Install]
WantedBy=default.target
`
}

/**
 * https://developer.apple.com/library/archive/documentation/MacOSX/Conceptual/BPSystemStartup/Chapters/CreatingLaunchdJobs.html
 */
export function launchdAgent({ node, program, env, logPath }: ServiceSpec): string {
  const variables = Object.entries(env).map(
    ([name, value]) => `    <key>${xml(name)}</key><string>${xml(value)}</string>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${LAUNCHD_LABEL}</string>
  <key>ProgramArguments</key>
  <array><string>${xml(node)}</string><string>${xml(program)}</string></array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join('\n')}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ExitTimeOut</key><integer>30</integer>
  <key>StandardOutPath</key><string>${xml(logPath)}</string>
  <key>StandardErrorPath</key><string>${xml(logPath)}</string>
</dict>
</plist>
`
}

export function systemdUnitPath(env: NodeJS.ProcessEnv, userHome: string): string {
  return join(env.XDG_CONFIG_HOME || join(userHome, '.config'), 'systemd', 'user', SYSTEMD_UNIT)
}

export function launchdAgentPath(userHome: string): string {
  return join(userHome, 'Library', 'LaunchAgents', `${LAUNCHD_LABEL}.plist`)
}

/** Also escapes `%`, because systemd expands specifiers within quotes. */
function systemdQuote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%')}"`
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
