import { waitFor } from '../api/wait-for.ts'
import { defineCommand } from '../command-line/command.ts'
import { findDaemon } from '../local-daemon/find-daemon.ts'
import { daemonProgram } from '../local-daemon/start-daemon.ts'
import { withDaemonStopped } from '../local-daemon/stop-daemon.ts'
import { installService, serviceManager, uninstallService } from '../service/manager.ts'
import { serviceEnvironment } from '../service/unit.ts'

export const install = defineCommand({
  name: 'daemon install',
  description:
    'Write and enable a systemd user unit or a launchd agent, without root. The service keeps the current values of MCP_HOME, MCP_PORT and similar variables. A running daemon is stopped, and the service manager starts it again.',
  options: { print: { type: 'boolean', doc: 'only print the file' } },
  examples: {
    'mcp daemon install': 'now and whenever you log in',
    'mcp daemon install --print': 'print the file',
  },
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
    await withDaemonStopped(context, () => installService(manager, spec))
    const daemon = await output.progress('Waiting for the daemon', () =>
      waitFor({
        read: () => findDaemon(paths),
        isDone: found => found !== undefined,
        failure: 'The daemon did not respond',
        timeoutMs: globals.timeout,
        signal,
        next: [{ description: 'Show its log', command: 'mcp daemon logs' }],
      }),
    )
    output.result({ file: manager.path, url: daemon?.url }, () => {
      output.line(`Installed the daemon as a service: ${manager.path}`)
      output.line(`It is running at ${daemon?.url}`)
      if (manager.hint) output.next(manager.hint)
    })
  },
})

export const uninstall = defineCommand({
  name: 'daemon uninstall',
  description:
    'Remove the service that "mcp daemon install" created. Servers and their data are kept. The next command starts a daemon on demand.',
  examples: { 'mcp daemon uninstall': 'also succeeds if the service is not installed' },
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
