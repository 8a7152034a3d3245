import { defineCommand } from '../command.ts'
import { LEVELS } from '../dev/preview-log.ts'
import { readEnvVars } from '../env-vars.ts'
import type { ExitCode } from '../exit-codes.ts'
import { folderOfProject, loadProject, type Project, requireProject } from '../project.ts'

export default defineCommand({
  name: 'dev',
  summary: 'build, serve and reload a project while you work on it',
  description:
    'Builds the project, serves it at its preview URL, and builds it again with every change. The URL stays, connected clients go on and hear which lists changed. When a build fails, the last good one serves on. The log is shown meanwhile.',
  arguments: { dir: { doc: 'folder of the project, or its file', default: '.' } },
  options: {
    level: {
      type: 'string',
      choices: LEVELS,
      value: 'level',
      default: 'info',
      doc: 'log lines of this level and above',
    },
    set: {
      type: 'list',
      value: 'KEY=VALUE',
      doc: 'environment variable; KEY alone takes its value from here',
    },
    envFile: { type: 'list', value: 'file', doc: 'file of environment variables' },
  },
  examples: [
    { command: 'mcp dev', does: 'the project in this folder' },
    { command: 'mcp dev --env-file .env', does: 'with the values that the server reads as env' },
    { command: 'mcp dev weather --level debug', does: 'with every MCP message' },
    { command: 'mcp dev --json', does: 'one JSON object a line: built, failed, log' },
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

/** The project file's values for development count here too. */
function withEnv(project: Project, given: Record<string, string>): Project {
  const env_vars = { ...project.deploy.development?.env_vars, ...given }
  return Object.keys(env_vars).length === 0
    ? project
    : { ...project, request: { ...project.request, env_vars } }
}
