import { HostingError } from '../../shared/errors.ts'
import type { ApiClient } from '../api/client.ts'
import { followEvents } from '../api/follow-events.ts'
import { defineCommand } from '../command-line/command.ts'
import { formatLogLine, type LogEntry } from '../output/log-lines.ts'
import type { Output } from '../output/output.ts'
import { parseTime } from '../output/parse-time.ts'
import { followBuildLog, readBuildLog, readPages } from '../project/container-build.ts'
import { ONE_DEPLOYMENT } from '../targets/deployment-action.ts'
import { resolveBuild, resolveContainerBuild, resolveDeployment } from '../targets/resolve-id.ts'

const DEFAULT_TAIL = 100

export default defineCommand({
  name: 'logs',
  description: `Print the last ${DEFAULT_TAIL} lines, or all lines since a time. An mcp_id shows the log of a server's preview, the id of a container build its complete log.`,
  arguments: ONE_DEPLOYMENT.arguments,
  options: {
    ...ONE_DEPLOYMENT.options,
    follow: {
      type: 'boolean',
      short: 'f',
      doc: 'keep printing new lines until Ctrl-C, even if the daemon restarts',
    },
    since: {
      type: 'string',
      value: 'time',
      doc: 'start: 10m, 2h, or a time such as 2026-11-21T08:00:00Z',
    },
    until: { type: 'string', value: 'time', doc: 'end: a duration or a time' },
    tail: {
      type: 'integer',
      value: 'lines',
      doc: `number of lines to show (default: ${DEFAULT_TAIL})`,
    },
    level: {
      type: 'string',
      choices: ['debug', 'info', 'warn', 'error'],
      value: 'level',
      doc: 'minimum level',
    },
    grep: { type: 'string', value: 'text', doc: 'only lines that contain this text' },
    tool: { type: 'string', value: 'name', doc: 'only calls of this tool' },
    session: {
      type: 'string',
      value: 'id',
      doc: 'only requests of this session: its Mcp-Session-Id, or the part shown in log lines',
    },
    requestId: { type: 'string', value: 'id', doc: 'only the request with this JSON-RPC id' },
    instance: { type: 'string', value: 'id', doc: 'only lines of this instance' },
  },
  examples: {
    'mcp logs weather -f': 'follow the log',
    'mcp logs weather --since 1h --level warn': 'recent warnings and errors',
    'mcp logs weather --tool forecast --tail 5': 'the last calls of one tool',
    'mcp logs dep_4h7k --tail 10 --json': 'one JSON object per line',
  },
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
      since: parseTime('--since', since),
      until: parseTime('--until', until),
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

/** Such an API only has logs of container builds, so an unknown id may be a deployment's. */
async function* orNoLog(lines: AsyncIterable<LogEntry>, reference: string): AsyncGenerator<LogEntry> {
  try {
    yield* lines
  } catch (error) {
    if (!(error instanceof HostingError) || error.code !== 'NOT_FOUND') throw error
    throw new HostingError('NOT_FOUND', `Container build "${reference}" does not exist.`, {
      details: 'This API only has logs of container builds.',
      next: isContainerBuild(reference)
        ? [{ description: 'Build an image from a project', command: 'mcp projects build <project id>' }]
        : [{ description: 'Show the health of a deployment', command: `mcp status ${reference} --health` }],
      cause: error,
    })
  }
}

/** Previews have a log under the build's id. */
function resolveLog(
  client: ApiClient,
  reference: string,
  environment: (typeof ONE_DEPLOYMENT.options.env.choices)[number] | undefined,
): Promise<string> {
  if (reference.startsWith('mcp_')) return resolveBuild(client, reference)
  return resolveDeployment(client, reference, { environment })
}
