import { formatDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { ExitCode } from '../command-line/exit-codes.ts'
import { countsToText } from '../output/counts.ts'
import { buildServer, reportFailedBuild } from '../project/build-server.ts'
import {
  PROGRAM_OPTIONS,
  type ProgramInput,
  programProject,
  withEnvVars,
} from '../project/program-project.ts'
import { commandIn, folderOfProject, loadProject, type Project, requireProject } from '../project/project.ts'
import { readEnvVars } from '../variables/given-variables.ts'

export default defineCommand({
  name: 'build',
  description:
    'Validate the project file and build the server. The first connection to its URL starts a preview.',
  arguments: { dir: { kind: 'file', doc: 'folder of the project, or its file', default: '.' } },
  options: {
    watch: { type: 'boolean', doc: 'rebuild on every change, until Ctrl-C' },
    check: {
      type: 'boolean',
      doc: 'only validate the project file and its suite, and check that the files it names exist, without a daemon',
    },
    ...PROGRAM_OPTIONS,
    set: {
      type: 'list',
      value: 'KEY=VALUE',
      doc: 'environment variable that a program needs to list its tools; not stored',
    },
    envFile: { type: 'list', value: 'file', doc: 'file of environment variables' },
  },
  examples: {
    'mcp build': 'the project in this folder',
    'mcp build --json': '{mcp_id, name, status, url, build_time}',
    'mcp build --check': 'validate only',
    'mcp build --watch': 'rebuild on every change',
  },
  async run(context, input): Promise<ExitCode | undefined> {
    const { dir, check } = input
    const { output } = context
    const given = readEnvVars(input.envFile, input.set, context.env)
    if (input.watch) {
      rejectWatchOptions(input)
      await requireProject(dir)
      const { watchBuilds } = await import('../dev/watch-builds.ts')
      return watchBuilds(context, folderOfProject(dir), async () =>
        withEnvVars(await loadProject(dir), given),
      )
    }
    const project = programProject(input, context.env) ?? (await loadProject(dir))
    const { request } = project
    if (check) return checkOnly(context, project)
    const record = await buildServer(context, withEnvVars(project, given))
    output.result(record, () => {
      if (record.status === 'failed') return
      const time = record.build_time === undefined ? '' : ` in ${formatDurationMs(record.build_time * 1000)}`
      output.line(
        `${record.status === 'ready' ? 'Built' : 'Building'} ${request.name}${time}: ${countsToText({ ...request, ...record })}`,
      )
      output.fields({ id: record.mcp_id, url: record.url })
      output.next({ description: 'Deploy it', command: `mcp deploy ${record.mcp_id}` })
    })
    output.warnOf(record)
    if (record.status === 'failed') return reportFailedBuild(context, record, project)
  },
})

async function checkOnly({ output }: CommandContext, project: Project): Promise<undefined> {
  const { file, request, directory } = project
  const { checkProject, summaryText } = await import('../project/check-project.ts')
  const summary = await checkProject(project)
  const { name, template } = request
  output.result({ valid: true, file, name, template, ...summary }, () => {
    output.line(`${file} is valid: ${name}, ${template}, ${summaryText(project, summary)}`)
    output.next({ description: 'Build it', command: commandIn(directory, 'mcp build') })
  })
}

/** Only a project's folder can be watched. */
function rejectWatchOptions({ command, check }: ProgramInput & { check: boolean }): void {
  const other = command !== undefined ? 'command' : check ? 'check' : undefined
  if (other) throw new HostingError('INVALID_REQUEST', `--watch and --${other} cannot be combined.`)
}
