import { defineCommand } from '../command-line/command.ts'
import type { ExitCode } from '../command-line/exit-codes.ts'
import { LEVELS } from '../dev/preview-log.ts'
import { readEnvVars } from '../project/env-vars.ts'
import { folderOfProject, loadProject, type Project, requireProject } from '../project/project.ts'

export default defineCommand({
  name: 'dev',
  description:
    'Build the project, serve it at its preview URL and rebuild it on every change. The URL stays the same, and connected clients are notified of changed lists. If a build fails, the last good build keeps serving. The log is shown in the terminal.',
  arguments: { dir: { doc: 'folder of the project, or its file', default: '.' } },
  options: {
    level: {
      type: 'string',
      choices: LEVELS,
      value: 'level',
      default: 'info',
      doc: 'minimum log level',
    },
    set: {
      type: 'list',
      value: 'KEY=VALUE',
      doc: 'environment variable; KEY alone takes its value from this shell',
    },
    envFile: { type: 'list', value: 'file', doc: 'file of environment variables' },
  },
  examples: [
    { command: 'mcp dev', does: 'the project in this folder' },
    { command: 'mcp dev --env-file .env', does: 'with environment variables' },
    { command: 'mcp dev weather --level debug', does: 'show every MCP message' },
    { command: 'mcp dev --json', does: 'one JSON object per line: built, failed, log' },
  ],
  async run(context, { dir, level, set, envFile }): Promise<ExitCode> {
    const given = readEnvVars(envFile, set, context.env)
    await requireProject(dir)
    const { DevSession } = await import('../dev/dev-session.ts')
    return new DevSession(context, folderOfProject(dir), level).run(async () =>
      withEnv(await loadProject(dir), given),
    )
  },
})

/** Merges the project file's values for development. */
function withEnv(project: Project, given: Record<string, string>): Project {
  const env_vars = { ...project.deploy.development?.env_vars, ...given }
  return Object.keys(env_vars).length === 0
    ? project
    : { ...project, request: { ...project.request, env_vars } }
}
