import type { LiveMetrics } from '../../shared/contract/monitoring/metrics.ts'
import { formatMemory, formatMs, formatPercent } from '../../shared/format/metric-format.ts'
import { followEvents } from '../api/follow-events.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { LiveScreen } from './live-screen.ts'
import type { Output } from './output.ts'
import { formatTable } from './table.ts'

export interface WatchInput {
  deploymentId?: string | undefined
  environment?: string | undefined
  intervalMs: number
}

const SHORT_ID = 13
/** Padded, so that columns do not move between refreshes. */
const OUTCOME = ['ERRORS', 'P50'.padEnd(7), 'P99'.padEnd(7)]
const HEADERS = ['SERVER', 'ENVIRONMENT', 'REQ/S'.padEnd(6), ...OUTCOME, 'INSTANCES', 'MEMORY']

/** Live view of all or the given deployments: a table at a terminal, one line per deployment and refresh in a pipe. */
export async function watchStatus(
  context: CommandContext,
  { deploymentId, environment, intervalMs }: WatchInput,
): Promise<void> {
  const { output } = context
  const interval = Math.max(1, Math.round(intervalMs / 1000))
  const events = followEvents<LiveMetrics>(context, '/api/metrics', { deploymentId, environment, interval })
  const isScreen = !output.json && process.stdout.isTTY
  const screen = isScreen ? new LiveScreen(process.stdout) : undefined
  let isFirst = true
  for await (const live of events) {
    if (output.json) output.entry(live, () => '')
    else if (screen) screen.draw(screenLines(output, live, screen.columns))
    else for (const line of plainLines(live, isFirst)) output.line(line)
    isFirst = false
  }
}

function screenLines({ style }: Output, live: LiveMetrics, columns: number | undefined): string[] {
  const [head, ...rows] = formatTable(HEADERS, live.deployments.map(toRow), columns)
  const time = live.timestamp.slice(11, 19)
  const footer = `${time} UTC, requests in the last ${Math.round(live.windowSeconds)} s. Press Ctrl-C to quit.`
  const body = live.deployments.length > 0 ? [style.dim(head!), ...rows] : ['No live deployments.']
  const parts = live.deployments.flatMap(one => [toolTable(one), instanceTable(one)])
  const details = parts
    .filter(({ rows: some }) => some.length > 0)
    .flatMap(({ headers, rows: some }) => {
      const [top, ...lines] = formatTable(headers, some, columns)
      return ['', style.dim(top!), ...lines]
    })
  return [...body, ...details, '', style.dim(footer)]
}

type WatchedDeployment = LiveMetrics['deployments'][number]

interface Table {
  headers: string[]
  rows: string[][]
}

/** Requests of the deployment by tool. */
function toolTable({ tools = [] }: WatchedDeployment): Table {
  const rows = tools.map(one => [one.tool, String(one.total), ...outcomeCells(one)])
  return { headers: ['TOOL', 'CALLS', ...OUTCOME], rows }
}

/** Instances, and the requests to each since its start. */
function instanceTable({ running = [] }: WatchedDeployment): Table {
  const rows = running.map(one => [
    one.id.slice(0, SHORT_ID),
    one.state,
    String(one.restarts),
    one.memoryBytes > 0 ? formatMemory(one.memoryBytes) : '-',
    String(one.activeRequests),
    String(one.requests?.total ?? '-'),
    ...outcomeCells(one.requests),
  ])
  const headers = ['INSTANCE', 'STATE', 'RESTARTS', 'MEMORY', 'ACTIVE', 'REQUESTS', ...OUTCOME]
  return { headers, rows }
}

function outcomeCells(summary: WatchedDeployment['requests'] | undefined): string[] {
  if (!summary || summary.total === 0) return ['-', '-', '-']
  return [formatPercent(summary.errorRate), formatMs(summary.p50Ms), formatMs(summary.p99Ms)]
}

/** One line per deployment, timestamp first, header once. */
function plainLines(live: LiveMetrics, withHeader: boolean): string[] {
  const rows = live.deployments.map(one => [live.timestamp, ...toRow(one)])
  const [head, ...lines] = formatTable(['TIME'.padEnd(24), ...HEADERS], rows)
  return withHeader ? [head!, ...lines] : lines
}

/** Row of a live deployment. */
export function toRow(one: WatchedDeployment): string[] {
  const { requests, instances, memoryBytes, running = [] } = one
  const isAsleep = instances === 0 && running.length === 0
  return [
    one.name,
    one.environment,
    one.requestsPerSecond.toFixed(one.requestsPerSecond < 10 ? 2 : 0),
    ...outcomeCells(requests),
    isAsleep ? 'asleep' : String(instances),
    memoryBytes > 0 ? formatMemory(memoryBytes) : '-',
  ]
}
