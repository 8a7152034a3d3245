import { ENVIRONMENTS, type Environment, LOG_LEVELS } from '../../shared/contract/states.ts'
import { HostingError } from '../../shared/errors.ts'
import { formatAge, formatTimeOfDay } from '../../shared/format/relative-time.ts'
import type { ApiClient } from '../api/client.ts'
import { followEvents } from '../api/follow-events.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { formatLogLine, type LogEntry, type LogLayout } from '../output/log-lines.ts'
import type { Output } from '../output/output.ts'
import { parseTime } from '../output/parse-time.ts'
import { followBuildLog, readBuildLog, readPages } from '../project/container-build.ts'
import { listReleases } from '../targets/releases.ts'
import { resolveBuild, resolveContainerBuild, resolveDeployment } from '../targets/resolve-id.ts'
import { impliedPreview } from '../targets/server-target.ts'

const DEFAULT_TAIL = 100
/** Number of releases that are searched for the environments in use. */
const RECENT_RELEASES = 100

export default defineCommand({
  name: 'logs',
  description: `Print the last ${DEFAULT_TAIL} lines, or all lines since a time. The log of a server continues across its releases. Without a server, the logs of all servers are merged. A deployment id shows one release with the log of its build, an mcp_id the log of a server's preview, and the id of a container build its complete log.`,
  arguments: {
    id: {
      kind: 'server',
      doc: 'server name, deployment id or unique prefix, mcp_id or container build (default: all servers)',
    },
  },
  options: {
    env: {
      type: 'string',
      value: 'environment',
      choices: [...ENVIRONMENTS, 'preview'],
      doc: 'only this environment',
    },
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
      short: 'n',
      value: 'lines',
      doc: `number of lines to show (default: ${DEFAULT_TAIL})`,
    },
    level: {
      type: 'string',
      choices: LOG_LEVELS,
      value: 'level',
      default: 'info',
      doc: 'minimum level; debug adds every MCP message',
    },
    grep: {
      type: 'string',
      value: 'text',
      doc: 'only lines that contain this text, also in the arguments or the error of a request',
    },
    tool: { type: 'string', value: 'name', doc: 'only calls to this tool' },
    session: {
      type: 'string',
      value: 'id',
      doc: 'only requests in this session: its Mcp-Session-Id, or the part shown in log lines',
    },
    requestId: { type: 'string', value: 'id', doc: 'only the request with this JSON-RPC id' },
    instance: { type: 'string', value: 'id', doc: 'only lines from this instance' },
  },
  examples: {
    'mcp logs weather -f': 'follow the log',
    'mcp logs': 'the newest lines from all servers',
    'mcp logs weather --since 1h --level warn': 'recent warnings and errors',
    'mcp logs weather --tool forecast -n 5': 'the last calls to one tool',
    'mcp logs dep_4h7k --tail 10 --json': 'one JSON object per line',
  },
  async run(context, { id: reference, env, follow, since, until, tail, session, ...filter }) {
    const whole = since !== undefined || until !== undefined
    const query = {
      since: parseTime('--since', since),
      until: parseTime('--until', until),
      ...filter,
      sessionId: session,
      tail: tail ?? (whole ? undefined : DEFAULT_TAIL),
    }
    const { lines, origin } = await openLog(context, { reference, env, follow, query })
    await printLines(context.output, lines, { follow, origin })
  },
})

interface LogRequest {
  /** Undefined for all servers. */
  reference: string | undefined
  env: Environment | 'preview' | undefined
  follow: boolean | undefined
  query: Record<string, string | number | undefined>
}

interface OpenLog {
  lines: AsyncIterable<LogEntry>
  /** Prefix of each line when lines come from several places. */
  origin?: LogLayout['origin']
}

async function openLog(context: CommandContext, request: LogRequest): Promise<OpenLog> {
  const { reference, env, follow, query } = request
  const client = await context.api()
  const read = (path: string, query: LogRequest['query']) =>
    follow ? followEvents<LogEntry>(context, path, query) : readPages(client, path, query)
  if (reference !== undefined && (env ?? impliedPreview(context, reference)) === 'preview')
    return { lines: read(logOf(await resolveBuild(client, reference)), query) }
  if (reference === undefined)
    return { lines: read('/api/logs', { ...query, environment: env }), origin: serverOf }
  const following = { follow, signal: context.signal }
  if (isContainerBuild(reference)) return { lines: await containerLines(client, reference, following) }
  const environments = await environmentsOf(client, reference)
  if (environments.length > 0)
    return {
      lines: read(`/api/servers/${encodeURIComponent(reference)}/logs`, { ...query, environment: env }),
      ...(env === undefined && environments.length > 1 && { origin: padEnvironments(environments) }),
    }
  const id = await resolveLog(client, reference, env as Environment | undefined)
  if (client.isContractOnly) return { lines: await containerLines(client, id, following) }
  return { lines: read(logOf(id), query) }
}

function logOf(id: string): string {
  return `/api/lambda-deploy/${encodeURIComponent(id)}/logs`
}

/** Environments with releases of a server. Empty for an id, an unknown name and an API without releases. */
async function environmentsOf(client: ApiClient, name: string): Promise<string[]> {
  if (/^(dep|mcp)_/.test(name)) return []
  try {
    const releases = await listReleases(client, name, { limit: RECENT_RELEASES })
    return [...new Set(releases.map(({ environment }) => environment))]
  } catch (error) {
    const { code } = error as HostingError
    if (['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'INVALID_REQUEST'].includes(code)) return []
    throw error
  }
}

function padEnvironments(environments: readonly string[]): LogLayout['origin'] {
  const width = Math.max(...environments.map(({ length }) => length))
  return ({ environment = '' }) => environment.padEnd(width)
}

async function printLines(
  output: Output,
  lines: AsyncIterable<LogEntry>,
  { follow, origin }: Pick<LogRequest, 'follow'> & Pick<OpenLog, 'origin'>,
): Promise<void> {
  const layout: LogLayout = {
    ...(output.terminal && { formatTime: follow ? formatTimeOfDay : formatPaddedAge }),
    ...(origin && { origin }),
  }
  let count = 0
  for await (const line of lines) {
    count++
    output.entry(line, () => formatLogLine(line, output.style, layout))
  }
  if (count === 0 && !follow) output.note('No log lines.')
}

/** Age of a line, right-aligned. Followed lines show no age, because it would soon be wrong. */
function formatPaddedAge(timestamp: string): string {
  return formatAge(timestamp).padStart(10)
}

/** The environment is omitted in production. */
function serverOf({ server = '', environment }: LogEntry): string {
  return environment === undefined || environment === 'production' ? server : `${server}/${environment}`
}

function isContainerBuild(reference: string): boolean {
  return reference.startsWith('bld_')
}

async function containerLines(client: ApiClient, reference: string, { follow, signal }: FollowOptions) {
  const id = await resolveContainerBuild(client, reference)
  const lines = follow ? followBuildLog(client, id, signal) : readBuildLog(client, id)
  return client.isContractOnly ? withMissingLogError(lines, reference) : lines
}

interface FollowOptions {
  follow: boolean | undefined
  signal: AbortSignal
}

/** Explains NOT_FOUND from an API that only has logs of container builds. The id may be a deployment's. */
async function* withMissingLogError(
  lines: AsyncIterable<LogEntry>,
  reference: string,
): AsyncGenerator<LogEntry> {
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
  environment: Environment | undefined,
): Promise<string> {
  if (reference.startsWith('mcp_')) return resolveBuild(client, reference)
  return resolveDeployment(client, reference, { environment })
}
