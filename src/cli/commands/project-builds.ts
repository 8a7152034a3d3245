import type { ContainerBuildRecord } from '../../shared/container-builds.ts'
import { CONTAINER_BUILD_STATES } from '../../shared/states.ts'
import type { ApiClient } from '../api-client.ts'
import { chosenProject, findLinked } from '../chosen-project.ts'
import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { followBuildLog, refreshBuild } from '../container-build.ts'
import { shortId } from '../deployment-table.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { formatLogLine } from '../log-lines.ts'

const PROJECT = 'a project: its id, a unique prefix of it, or its name (default: the linked one)'

export const projectsBuild = defineCommand({
  name: 'projects build',
  summary: "build an image of a project's source",
  description:
    'Triggers a container build and follows its log to the end. Ends with 1 when the build failed or was stopped.',
  arguments: { project: { doc: PROJECT } },
  options: {
    wait: { type: 'boolean', default: true, doc: 'return at once instead of following it to its end' },
  },
  examples: [
    { command: 'mcp projects build weather', does: 'follows the build' },
    { command: 'mcp projects build weather --no-wait --json', does: 'the pending record' },
  ],
  async run(context, { project, wait }): Promise<ExitCode> {
    const api = await context.api()
    const { id } = await chosenProject(api, context.cwd, project)
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
  summary: 'container builds, newest first',
  arguments: {
    project: {
      doc: 'a project: its id, a unique prefix of it, or its name (default: the linked one, else all)',
    },
  },
  options: {
    all: { type: 'boolean', doc: 'of all projects, in a linked folder too' },
    status: { type: 'string', choices: CONTAINER_BUILD_STATES, value: 'status', doc: 'only those' },
    limit: { type: 'integer', value: 'count', default: 20, doc: 'so many at most' },
  },
  examples: [{ command: 'mcp projects builds weather', does: 'the last ones of this project' }],
  async run({ api, output, cwd }, { project, all, status, limit }) {
    const client = await api()
    const isOne = project !== undefined || (!all && (await findLinked(cwd)) !== undefined)
    const projectId = isOne ? (await chosenProject(client, cwd, project)).id : undefined
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
      if (items[0]) output.next({ description: 'See a log', command: `mcp logs ${items[0].id}` })
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
  if (isRunning(build)) output.note('This API does not report the state of a container build; check its log.')
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
  output.next({ description: 'See its log', command: `mcp logs ${build.id}` })
}
