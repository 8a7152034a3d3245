import { LOG_LEVELS } from '../../shared/contract/states.ts'
import { HostingError } from '../../shared/errors.ts'
import { isLoopback } from '../api/transport.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { ExitCode } from '../command-line/exit-codes.ts'
import { folderOfProject, loadProject, type Project, requireProject } from '../project/project.ts'
import { readEnvVars, VARIABLE_OPTIONS } from '../variables/given-variables.ts'
import { placeVariables } from '../variables/place-variables.ts'

export default defineCommand({
  name: 'dev',
  description:
    'Build the project, serve it at its preview URL and rebuild it on every change. The URL stays the same, and connected clients are notified of changed lists. If a build fails, the last good build keeps serving. The log is shown in the terminal.',
  arguments: { dir: { kind: 'file', doc: 'folder of the project, or its file', default: '.' } },
  options: {
    level: {
      type: 'string',
      choices: LOG_LEVELS,
      value: 'level',
      default: 'info',
      doc: 'minimum log level',
    },
    inspect: {
      type: 'boolean',
      doc: 'run handlers with a debugger, for Chrome (chrome://inspect) and editors. Local daemon only',
    },
    inspectPort: {
      type: 'integer',
      value: 'port',
      default: 9229,
      doc: 'port of the debugger (0: any free port)',
    },
    ...VARIABLE_OPTIONS,
  },
  examples: {
    'mcp dev': 'the project in this folder',
    'mcp dev --env-file .env': 'with environment variables',
    'mcp dev weather --level debug': 'show every MCP message',
    'mcp dev --inspect': 'set breakpoints in handlers',
    'mcp dev --json': 'one JSON object per line: built, missing, debugger, failed, log',
  },
  async run(context, { dir, level, inspect, inspectPort, set, envFile }): Promise<ExitCode> {
    const given = readEnvVars(envFile, set, context.env)
    await requireProject(dir)
    const { DevSession } = await import('../dev/dev-session.ts')
    if (inspect) await requireInspectable(context, dir)
    const settings = {
      directory: folderOfProject(dir),
      level,
      inspectPort: inspect ? inspectPort : undefined,
    }
    return new DevSession(context, settings).run(async () => withEnv(context, await loadProject(dir), given))
  },
})

/** Adds the given values and the project file's values for development. The daemon adds the stored values. */
async function withEnv(
  context: CommandContext,
  project: Project,
  given: Record<string, string>,
): Promise<Project> {
  const place = { name: project.request.name, environment: 'development' as const }
  const base = project.deploy.development?.env_vars
  const { env_vars } = await placeVariables(context, place, { base, given, save: false })
  return Object.keys(env_vars).length === 0
    ? project
    : { ...project, request: { ...project.request, env_vars } }
}

/** Throws for a hosted API, and when another `mcp dev` debugs the server. */
async function requireInspectable(context: CommandContext, dir: string): Promise<void> {
  requireLocalApi(context)
  const { requireNoDebugger } = await import('../dev/debugged-preview.ts')
  // The session reports an invalid project and waits for a change.
  const project = await loadProject(dir).catch(() => undefined)
  if (project) await requireNoDebugger(await context.api(), project.request.name)
}

/** Throws for a hosted API, because the debugger listens on the loopback interface of the daemon's machine. */
function requireLocalApi(context: CommandContext): void {
  const url = context.settings().apiUrl?.value
  if (url === undefined || isLoopback(new URL(url).hostname)) return
  throw new HostingError(
    'INVALID_REQUEST',
    `--inspect needs the local daemon. ${url} is not on this machine.`,
    {
      next: [{ description: 'Use the local daemon', command: 'mcp dev --inspect --context local' }],
    },
  )
}
