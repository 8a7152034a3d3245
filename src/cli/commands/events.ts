import { CHANGE_TYPES, type ChangeType } from '../../shared/contract/monitoring/change-types.ts'
import type { ChangeEvent, FeedEvent, MetricsEvent } from '../../shared/contract/monitoring/events.ts'
import { counted } from '../../shared/counted.ts'
import { HostingError } from '../../shared/errors.ts'
import { formatMemory, formatMs } from '../../shared/format/metric-format.ts'
import { formatTimeOfDay } from '../../shared/format/relative-time.ts'
import { followEvents } from '../api/follow-events.ts'
import { defineCommand } from '../command-line/command.ts'
import type { Output } from '../output/output.ts'

const RESETS = {
  new: 'following changes',
  restarted: 'the daemon has restarted; earlier changes may be missing',
  missed: 'too many changes at once; some are missing',
}

export default defineCommand({
  name: 'events',
  description:
    'Print changes to servers, builds with their phases, deployments, releases, instances, health, container builds, projects, domains, variables, chats and keys until Ctrl-C. Continues after a restart of the daemon. A reset event comes first, and whenever changes may have been missed. After a reset, a program should reload everything.',
  arguments: {
    server: { kind: 'server', doc: 'only changes to this server (default: all changes)' },
  },
  options: {
    type: {
      type: 'string',
      value: 'types',
      doc: `only these kinds, separated by commas: ${CHANGE_TYPES.join(', ')}`,
    },
    metrics: { type: 'duration', doc: 'also print the metrics of live deployments at this interval: 5s, 1m' },
  },
  examples: {
    'mcp events': 'everything',
    'mcp events weather --type deployment,health': 'state and health of one server',
    'mcp events --json': 'one JSON object per line',
  },
  async run(context, { server, type, metrics }) {
    const types = type?.split(',').map(toType)
    const events = followEvents<FeedEvent>(context, '/api/events', {
      server,
      types: types?.join(','),
      metrics: metrics === undefined ? undefined : Math.max(1, Math.round(metrics / 1000)),
    })
    const { output } = context
    for await (const event of events) output.entry(event, () => textOf(event, output))
  },
})

function toType(given: string): ChangeType {
  const found = CHANGE_TYPES.find(type => type.toLowerCase() === given.trim().toLowerCase())
  if (found) return found
  throw new HostingError('INVALID_REQUEST', `--type: unknown type "${given}".`, {
    details: `Expected one or more of ${CHANGE_TYPES.join(', ')}, separated by commas.`,
  })
}

function textOf(event: FeedEvent, { style }: Output): string {
  if (event.type === 'reset') return style.dim(RESETS[event.reason])
  if (event.type === 'metrics') return metricsText(event)
  return changeText(event)
}

/** `08:00:00 deployment updated weather/production dep_4h7k… deployed` */
function changeText(event: ChangeEvent): string {
  const { timestamp, type, action, server, environment, id, version, status, phase } = event
  const place = environment === undefined ? server : `${server ?? ''}/${environment}`
  const state = phase === undefined ? status : `${status} (${phase})`
  const words = [type, action, place, id === server ? undefined : id, version && `v${version}`, state]
  return [formatTimeOfDay(timestamp), ...words.filter(Boolean)].join(' ')
}

function metricsText({ timestamp, deployments }: MetricsEvent): string {
  const sum = (value: (one: (typeof deployments)[number]) => number) =>
    deployments.reduce((total, one) => total + value(one), 0)
  const slowest = Math.max(0, ...deployments.map(({ requests }) => requests.p99Ms))
  const words = [
    counted(deployments.length, 'deployment'),
    `${sum(one => one.requestsPerSecond).toFixed(2)} requests per second`,
    `${sum(({ requests }) => requests.errors)} failed`,
    `p99 ${formatMs(slowest)}`,
    formatMemory(sum(one => one.memoryBytes)),
  ]
  return `${formatTimeOfDay(timestamp)} metrics ${words.join(', ')}`
}
