import type { ContainerBuildRecord } from '../../shared/contract/builds/container-builds.ts'
import { CONTAINER_BUILD_STATES } from '../../shared/contract/states.ts'
import type { ApiClient } from '../api/client.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { formatLogLine } from '../output/log-lines.ts'
import { shortId } from '../output/tables/deployment-table.ts'
import { findLinked, resolveProject } from '../project/chosen-project.ts'
import { followBuildLog, refreshBuild } from '../project/container-build.ts'

const PROJECT = 'project id or unique prefix, or name (default: the linked project)'

export const projectsBuild = defineCommand({
  name: 'projects build',
  description: 'Start a container build and follow its log. Exits with 1 if the build fails or is stopped.',
  arguments: { project: { kind: 'project', doc: PROJECT } },
  options: {
    wait: { type: 'boolean', default: true, doc: 'return without waiting for the build' },
  },
  examples: {
    'mcp projects build weather': 'build and follow the log',
    'mcp projects build weather --no-wait --json': 'print the pending build',
  },
  async run(context, { project, wait }): Promise<ExitCode> {
    const api = await context.api()
    const { id } = await resolveProject(api, context.cwd, project)
    const triggered = await api.post<ContainerBuildRecord>(
      `/api/lambda-builds/trigger/${encodeURIComponent(id)}`,
    )
    const build = wait ? await followBuild(context, api, triggered) : triggered
    context.output.result(build, () => showBuild(context, build))
    return build.status === 'failed' || build.status === 'stopped' ? EXIT.failed : EXIT.done
  },
})

export const projectsBuilds = defineCommand({
  name: 'projects builds',
  arguments: {
    project: {
      kind: 'project',
      doc: 'project id or unique prefix, or name (default: the linked project, else all)',
    },
  },
  options: {
    all: { type: 'boolean', doc: 'list builds of all projects, even in a linked folder' },
    status: {
      type: 'string',
      choices: CONTAINER_BUILD_STATES,
      value: 'status',
      doc: 'only builds with this status',
    },
    limit: { type: 'integer', value: 'count', default: 20, doc: 'maximum number of builds' },
  },
  examples: { 'mcp projects builds weather': 'builds of one project' },
  async run({ api, output, cwd }, { project, all, status, limit }) {
    const client = await api()
    const isOne = project !== undefined || (!all && (await findLinked(cwd)) !== undefined)
    const projectId = isOne ? (await resolveProject(client, cwd, project)).id : undefined
    const query = { projectId, status, limit }
    const { items } = await client.get<{ items: ContainerBuildRecord[] }>('/api/lambda-builds', query)
    output.result(items, () => {
      const rows = items.map(({ id, status, currentPhase, createdAt, imageUri }) => [
        shortId(id),
        status,
        currentPhase,
        createdAt.slice(0, 16).replace('T', ' '),
        imageUri.split('/').at(-1) ?? '',
      ])
      output.table(['ID', 'STATUS', 'PHASE', 'CREATED', 'IMAGE'], rows, 'No container builds.')
      if (items[0]) output.next({ description: 'Show a log', command: `mcp logs ${items[0].id}` })
    })
  },
})

/** Lines go to standard error, because the result is the record. */
async function followBuild(
  { output, signal }: CommandContext,
  api: ApiClient,
  triggered: ContainerBuildRecord,
): Promise<ContainerBuildRecord> {
  const lines = followBuildLog(api, triggered.id, signal)
  let next = await lines.next()
  for (; !next.done; next = await lines.next()) output.note(formatLogLine(next.value, output.style))
  const build = await refreshBuild(api, triggered, next.value)
  if (isRunning(build)) output.note('This API does not report the state of container builds. Check the log.')
  return build
}

function isRunning({ status }: ContainerBuildRecord): boolean {
  return status === 'pending' || status === 'in_progress'
}

function showBuild({ output }: CommandContext, build: ContainerBuildRecord): void {
  output.line(`Container build ${build.id}: ${build.status}`)
  output.fields({
    image: build.imageUri || undefined,
    digest: build.imageDigest || undefined,
    server: build.mcpId || undefined,
    error: build.errorMessage || undefined,
  })
  output.next({ description: 'Show its log', command: `mcp logs ${build.id}` })
}
