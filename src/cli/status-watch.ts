import type { LiveMetrics } from '../shared/metrics.ts'
import type { CommandContext } from './command-context.ts'
import { followEvents } from './follow-events.ts'
import { LiveScreen } from './live-screen.ts'
import { formatMs, formatPercent } from './metric-format.ts'
import type { Output } from './output.ts'
import { formatTable } from './table.ts'

export interface WatchInput {
  deploymentId?: string | undefined
  environment?: string | undefined
  intervalMs: number
}

/** With room for what comes, or columns would jump from look to look. */
const HEADERS = [
  'SERVER',
  'ENVIRONMENT',
  'REQ/S'.padEnd(6),
  'ERRORS',
  'P50'.padEnd(7),
  'P99'.padEnd(7),
  'INSTANCES',
  'MEMORY',
]

/** What deployments do, every few seconds until Ctrl-C: a table that is drawn anew, lines where there is no terminal. */
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
  const told = `${time} UTC, requests of the last ${Math.round(live.windowSeconds)} s. Ctrl-C ends.`
  const body = live.deployments.length > 0 ? [style.dim(head!), ...rows] : ['Nothing is deployed.']
  return [...body, '', style.dim(told)]
}

/** A line a deployment, the time first, as logs have it; the header once. */
function plainLines(live: LiveMetrics, withHeader: boolean): string[] {
  const rows = live.deployments.map(one => [live.timestamp, ...toRow(one)])
  const [head, ...lines] = formatTable(['TIME'.padEnd(24), ...HEADERS], rows)
  return withHeader ? [head!, ...lines] : lines
}

function toRow(one: LiveMetrics['deployments'][number]): string[] {
  const { requests, instances, memoryBytes } = one
  const isQuiet = requests.total === 0
  return [
    one.name,
    one.environment,
    one.requestsPerSecond.toFixed(one.requestsPerSecond < 10 ? 2 : 0),
    isQuiet ? '-' : formatPercent(requests.errorRate),
    isQuiet ? '-' : formatMs(requests.p50Ms),
    isQuiet ? '-' : formatMs(requests.p99Ms),
    instances === 0 ? 'asleep' : String(instances),
    memoryBytes > 0 ? `${Math.round(memoryBytes / 1_048_576)} MiB` : '-',
  ]
}
