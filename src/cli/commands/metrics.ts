import type { MetricsHistory, ServerMetrics } from '../../shared/contract/monitoring/metrics.ts'
import { HostingError } from '../../shared/errors.ts'
import { formatBytes, formatMs, formatPercent, sparkline } from '../../shared/format/metric-format.ts'
import { formatDestination } from '../../shared/network/destinations.ts'
import type { ApiClient } from '../api/client.ts'
import { defineCommand } from '../command-line/command.ts'
import { impliedEnvironment } from '../dev/dev-mark.ts'
import type { Output } from '../output/output.ts'
import { parseTime } from '../output/parse-time.ts'
import { resolveDeployment } from '../targets/resolve-id.ts'
import { ENVIRONMENT_FILTER } from '../targets/server-arguments.ts'

export default defineCommand({
  name: 'metrics',
  description:
    'Show the requests of a server by time and by tool across its releases, and the hosts its code connected to. A deployment id shows one release. Covers the last hour, or up to a week. Previews keep no metrics.',
  arguments: {
    id: { kind: 'server', required: true, doc: 'server name, deployment id or unique prefix of an id' },
  },
  options: {
    env: ENVIRONMENT_FILTER,
    since: { type: 'string', value: 'time', doc: 'start: 10m, 2d, or a time (default: an hour ago)' },
    until: { type: 'string', value: 'time', doc: 'end: a duration or a time' },
    step: { type: 'duration', doc: 'time per row in whole minutes (default: chosen for at most 60 rows)' },
  },
  examples: {
    'mcp metrics weather': 'the last hour',
    'mcp metrics weather --since 7d --step 1d': 'the last week, by day',
    'mcp metrics weather --since 1d --json': "the API's record",
  },
  async run(context, { id: reference, env: environment, since, until, step }) {
    const { output, api } = context
    const client = await api()
    const isDev = environment === undefined && impliedEnvironment(context, reference) !== undefined
    const period = {
      since: parseTime('--since', since),
      until: parseTime('--until', until),
      step: step === undefined ? undefined : Math.round(step / 1000),
    }
    const server = await readServer(client, reference, { ...period, environment })
    if (isDev && server?.items.length === 0) throw previewOnly(reference)
    if (isDev)
      output.note(
        `Previews keep no metrics. This shows the deployments of ${reference}, not mcp dev in this folder.`,
      )
    if (server && server.items.length > 0)
      return output.result(server, () => {
        for (const [index, each] of server.items.entries()) {
          if (index > 0) output.line()
          show(output, `${reference} in ${each.environment}`, each)
        }
      })
    const id = await resolveDeployment(client, reference, { environment })
    const path = `/api/lambda-deploy/${encodeURIComponent(id)}/metrics`
    const history = await client.get<MetricsHistory>(path, period)
    output.result(history, () => show(output, reference, history))
  },
})

function previewOnly(server: string): HostingError {
  const message = `${server} has no metrics: it was never deployed, and previews of mcp dev keep no metrics.`
  return new HostingError('NOT_FOUND', message, {
    next: [
      { description: 'Show the requests of the preview', command: `mcp logs ${server} --level debug` },
      { description: 'Deploy it', command: 'mcp deploy' },
    ],
  })
}

/** Undefined for a deployment id, an unknown server, and an API without metrics of servers. */
async function readServer(
  client: ApiClient,
  reference: string,
  query: Record<string, string | number | undefined>,
): Promise<ServerMetrics | undefined> {
  if (reference.startsWith('dep_') || !/^[\w.-]+$/.test(reference)) return undefined
  try {
    return await client.get(`/api/servers/${encodeURIComponent(reference)}/metrics`, query)
  } catch (error) {
    const { code } = error as HostingError
    if (code === 'NOT_FOUND' || code === 'METHOD_NOT_ALLOWED') return undefined
    throw error
  }
}

type ShownMetrics = Omit<MetricsHistory, 'id'> & Partial<Pick<ServerMetrics['items'][number], 'releases'>>

function show(output: Output, name: string, history: ShownMetrics): void {
  const { style } = output
  const { requests, points, tools, since, until, stepSeconds } = history
  output.line(`${style.bold(name)} from ${toText(since)} to ${toText(until)} UTC`)
  if (requests.total === 0) {
    output.line('No requests.')
    return showDestinations(output, history)
  }
  output.fields({
    requests: `${requests.total}, ${requests.errors} failed (${formatPercent(requests.errorRate)})`,
    latency: `${formatMs(requests.p50Ms)} median, ${formatMs(requests.p99Ms)} at the 99th percentile`,
    ...(points.length <= 60 && { 'over time': `|${sparkline(points.map(({ total }) => total))}|` }),
  })
  output.line()
  const newReleases = releasesByPoint(history)
  const hasReleases = newReleases.size > 0
  const rows = points
    .filter(({ total, timestamp }) => total > 0 || newReleases.has(timestamp))
    .map(point => [
      toText(point.timestamp),
      ...(hasReleases ? [(newReleases.get(point.timestamp) ?? []).join(', ')] : []),
      (point.total / stepSeconds).toFixed(point.total / stepSeconds < 10 ? 2 : 0),
      ...summaryCells(point),
    ])
  const release = hasReleases ? ['RELEASE'] : []
  output.table(['TIME (UTC)', ...release, 'REQ/S', 'REQUESTS', 'ERRORS', 'P50', 'P99'], rows)
  if (tools.length > 0) {
    output.line()
    output.table(
      ['TOOL', 'CALLS', 'ERRORS', 'P50', 'P99'],
      tools.map(one => [one.tool, ...summaryCells(one)]),
    )
  }
  showDestinations(output, history)
}

/** Releases by the start of the step in which they began. */
function releasesByPoint({ releases = [], points, stepSeconds }: ShownMetrics): Map<string, string[]> {
  const began = new Map<string, string[]>()
  for (const { version, timestamp } of releases) {
    const startOf = (point: { timestamp: string }) => Date.parse(point.timestamp)
    const at = Date.parse(timestamp)
    const point = points.find(one => at >= startOf(one) && at < startOf(one) + stepSeconds * 1000)
    if (point) began.set(point.timestamp, [...(began.get(point.timestamp) ?? []), `v${version}`])
  }
  return began
}

/** Destinations since the deployment was created, in the format of an allow list. */
function showDestinations(output: Output, { destinations = [] }: ShownMetrics): void {
  if (destinations.length === 0) return
  output.line()
  output.table(
    ['DESTINATION', 'CONNECTIONS', 'FAILED', 'REFUSED', 'SENT', 'RECEIVED', 'LAST (UTC)'],
    destinations.map(one => [
      one.port === 0 ? one.host : formatDestination(one.host, one.port),
      String(one.connections),
      String(one.failures),
      String(one.refusals),
      formatBytes(one.bytesSent),
      formatBytes(one.bytesReceived),
      toText(one.lastAt),
    ]),
  )
}

function summaryCells(summary: MetricsHistory['requests']): string[] {
  const { total, errorRate, p50Ms, p99Ms } = summary
  return [String(total), formatPercent(errorRate), formatMs(p50Ms), formatMs(p99Ms)]
}

/** `2026-11-21 08:00` */
function toText(timestamp: string): string {
  return timestamp.slice(0, 16).replace('T', ' ')
}
