import { defineCommand } from '../command.ts'
import { daemonProgram, findDaemon } from '../daemon-client.ts'
import { whileStopped } from '../end-daemon.ts'
import { installService, serviceManager, uninstallService } from '../service/manager.ts'
import { serviceEnvironment } from '../service/unit.ts'
import { waitFor } from '../wait-for.ts'

export const install = defineCommand({
  name: 'daemon install',
  summary: 'start the daemon with every login, as a service of yours',
  description:
    'Writes a systemd user unit or a launchd agent and enables it; no root is needed. MCP_HOME, MCP_PORT and the like are kept as they are now. A daemon that runs is stopped first and started again by the service manager.',
  options: { print: { type: 'boolean', doc: 'only show the file' } },
  examples: [
    { command: 'mcp daemon install', does: 'now and with every login' },
    { command: 'mcp daemon install --print', does: 'the file alone' },
  ],
  async run(context, { print }) {
    const { output, env, paths, globals, signal } = context
    const manager = serviceManager(env)
    const spec = {
      node: process.execPath,
      program: daemonProgram(),
      env: serviceEnvironment(env),
      logPath: paths.daemonLog,
    }
    const content = manager.content(spec)
    if (print) return output.result({ file: manager.path, content }, () => output.line(content.trimEnd()))
    await whileStopped(context, () => installService(manager, spec))
    const daemon = await output.progress('Waiting for the daemon', () =>
      waitFor({
        read: () => findDaemon(paths),
        isDone: found => found !== undefined,
        subject: 'The daemon',
        timeoutMs: globals.timeout,
        signal,
      }),
    )
    output.result({ file: manager.path, url: daemon?.url }, () => {
      output.line(`Installed the daemon as a service: ${manager.path}`)
      output.line(`It runs at ${daemon?.url}`)
      if (manager.hint) output.next(manager.hint)
    })
  },
})

export const uninstall = defineCommand({
  name: 'daemon uninstall',
  summary: 'stop the service and remove it',
  description:
    'Removes what "mcp daemon install" made. Servers and their data stay; the next command starts a daemon on demand.',
  examples: [{ command: 'mcp daemon uninstall', does: 'not installed is fine too' }],
  async run({ output, env }) {
    const manager = serviceManager(env)
    const removed = await uninstallService(manager)
    output.result({ removed, file: manager.path }, () =>
      output.line(
        removed ? `Removed the service ${manager.path}` : 'The daemon is not installed as a service.',
      ),
    )
  },
})
