import { HostingError } from '../../shared/errors.ts'
import type { ApiClient } from '../api-client.ts'
import { defineCommand } from '../command.ts'
import { followBuildLog, readBuildLog, readPages } from '../container-build.ts'
import { ONE_DEPLOYMENT } from '../deployment-action.ts'
import { followEvents } from '../follow-events.ts'
import { formatLogLine, type LogEntry } from '../log-lines.ts'
import { toMoment } from '../moment.ts'
import type { Output } from '../output.ts'
import { resolveBuild, resolveContainerBuild, resolveDeployment } from '../resolve-id.ts'

const DEFAULT_TAIL = 100

export default defineCommand({
  name: 'logs',
  summary: 'log lines of a deployment or a container build',
  description: `Prints the last ${DEFAULT_TAIL} lines, or all since a moment. An mcp_id gives the lines of a server's preview, the id of a container build all of its lines.`,
  arguments: ONE_DEPLOYMENT.arguments,
  options: {
    ...ONE_DEPLOYMENT.options,
    follow: {
      type: 'boolean',
      short: 'f',
      doc: 'go on printing what comes, until Ctrl-C, also when the daemon is restarted',
    },
    since: {
      type: 'string',
      value: 'time',
      doc: 'from then on: 10m, 2h, or a time such as 2026-11-21T08:00:00Z',
    },
    until: { type: 'string', value: 'time', doc: 'up to then' },
    tail: {
      type: 'integer',
      value: 'lines',
      doc: `only so many of the last ones (default: ${DEFAULT_TAIL})`,
    },
    level: {
      type: 'string',
      choices: ['debug', 'info', 'warn', 'error'],
      value: 'level',
      doc: 'this level and above',
    },
    grep: { type: 'string', value: 'text', doc: 'only lines that hold this text' },
    tool: { type: 'string', value: 'name', doc: 'only calls of this tool' },
    session: {
      type: 'string',
      value: 'id',
      doc: 'only requests of this session: its Mcp-Session-Id, or the part that lines show',
    },
    requestId: { type: 'string', value: 'id', doc: 'only the request with this JSON-RPC id' },
    instance: { type: 'string', value: 'id', doc: 'only lines of this instance' },
  },
  examples: [
    { command: 'mcp logs weather -f', does: 'watch it' },
    { command: 'mcp logs weather --since 1h --level warn', does: 'what went wrong lately' },
    { command: 'mcp logs weather --tool forecast --tail 5', does: 'the last calls of one tool' },
    { command: 'mcp logs dep_4h7k --tail 10 --json', does: 'one JSON object a line' },
  ],
  async run(context, { id: reference, env, follow, since, until, tail, session, ...filter }) {
    const { output } = context
    const client = await context.api()
    const following = { follow, signal: context.signal }
    if (isContainerBuild(reference))
      return printLines(output, await containerLines(client, reference, following), follow)
    const id = await resolveLog(client, reference, env)
    if (client.isContractOnly) return printLines(output, await containerLines(client, id, following), follow)
    const path = `/api/lambda-deploy/${encodeURIComponent(id)}/logs`
    const whole = since !== undefined || until !== undefined
    const query = {
      since: toMoment('--since', since),
      until: toMoment('--until', until),
      ...filter,
      sessionId: session,
      tail: tail ?? (whole ? undefined : DEFAULT_TAIL),
    }
    const lines = follow ? followEvents<LogEntry>(context, path, query) : readPages(client, path, query)
    await printLines(output, lines, follow)
  },
})

async function printLines(
  output: Output,
  lines: AsyncIterable<LogEntry>,
  follow: boolean | undefined,
): Promise<void> {
  let count = 0
  for await (const line of lines) {
    count++
    output.entry(line, () => formatLogLine(line, output.style))
  }
  if (count === 0 && !follow) output.note('No log lines.')
}

function isContainerBuild(reference: string): boolean {
  return reference.startsWith('bld_')
}

async function containerLines(client: ApiClient, reference: string, { follow, signal }: Following) {
  const id = await resolveContainerBuild(client, reference)
  const lines = follow ? followBuildLog(client, id, signal) : readBuildLog(client, id)
  return client.isContractOnly ? orNoLog(lines, reference) : lines
}

interface Following {
  follow: boolean | undefined
  signal: AbortSignal
}

/** Such an API has no logs but those of container builds, so an id that it does not know may be a deployment's. */
async function* orNoLog(lines: AsyncIterable<LogEntry>, reference: string): AsyncGenerator<LogEntry> {
  try {
    yield* lines
  } catch (error) {
    if (!(error instanceof HostingError) || error.code !== 'NOT_FOUND') throw error
    throw new HostingError('NOT_FOUND', `There is no container build "${reference}".`, {
      details: 'This API has logs of container builds only.',
      next: isContainerBuild(reference)
        ? [{ description: 'Build an image of a project', command: 'mcp projects build <project id>' }]
        : [{ description: 'See the health of a deployment', command: `mcp status ${reference} --health` }],
      cause: error,
    })
  }
}

/** Logs are kept of deployments and, under the build's id, of previews. */
function resolveLog(
  client: ApiClient,
  reference: string,
  environment: (typeof ONE_DEPLOYMENT.options.env.choices)[number] | undefined,
): Promise<string> {
  if (reference.startsWith('mcp_')) return resolveBuild(client, reference)
  return resolveDeployment(client, reference, { environment })
}
