import { formatDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'
import { buildServer, reportFailedBuild } from '../build-server.ts'
import { defineCommand } from '../command.ts'
import { countsOf, countsToText } from '../counts.ts'
import { readEnvVars } from '../env-vars.ts'
import type { ExitCode } from '../exit-codes.ts'
import { PROGRAM_OPTIONS, type ProgramInput, programProject, withEnvVars } from '../program-project.ts'
import { commandIn, folderOfProject, loadProject, requireProject } from '../project.ts'

export default defineCommand({
  name: 'build',
  summary: 'build a server from its project file',
  description:
    'Checks the project file and builds the server. Its URL works at once: a preview that the first connection starts.',
  arguments: { dir: { doc: 'folder of the project, or its file', default: '.' } },
  options: {
    watch: { type: 'boolean', doc: 'build again with every change, until Ctrl-C' },
    check: { type: 'boolean', doc: 'only check the project file; needs no daemon' },
    ...PROGRAM_OPTIONS,
    set: {
      type: 'list',
      value: 'KEY=VALUE',
      doc: 'environment variable that a program needs to say what it offers; not kept',
    },
    envFile: { type: 'list', value: 'file', doc: 'file of environment variables' },
  },
  examples: [
    { command: 'mcp build', does: 'the project in this folder' },
    { command: 'mcp build examples/weather --json', does: '{mcp_id, name, status, url, build_time}' },
    { command: 'mcp build --check', does: 'validate only' },
    { command: 'mcp build --watch', does: 'again and again, while you work on it' },
  ],
  async run(context, input): Promise<ExitCode | undefined> {
    const { dir, check } = input
    const { output } = context
    const given = readEnvVars(input.envFile, input.set, context.env)
    if (input.watch) {
      refuseWithWatch(input)
      await requireProject(dir)
      const { watchBuilds } = await import('../dev/watch-builds.ts')
      return watchBuilds(context, folderOfProject(dir), async () =>
        withEnvVars(await loadProject(dir), given),
      )
    }
    const project = programProject(input) ?? (await loadProject(dir))
    const { request, file } = project
    const counts = countsOf(request)
    if (check) {
      output.result({ valid: true, file, name: request.name, template: request.template, ...counts }, () => {
        output.line(`${file} is valid: ${request.name}, ${request.template}, ${countsToText(request)}`)
        output.next({ description: 'Build it', command: commandIn(project.directory, 'mcp build') })
      })
      return
    }
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

/** What is watched is a project's folder. */
function refuseWithWatch({ command, check }: ProgramInput & { check: boolean }): void {
  const other = command !== undefined ? 'command' : check ? 'check' : undefined
  if (other) throw new HostingError('INVALID_REQUEST', `--watch and --${other} do not go together.`)
}
