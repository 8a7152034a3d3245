import { type Metric, Registry } from 'prom-client'
import type { RequestSummary, SeriesCounts } from '../../shared/request-tally.ts'
import { durationBuckets } from './duration-buckets.ts'
import { processFamilies } from './process-families.ts'

/** Everything that the page tells, as it is at this moment. */
export interface Observed {
  version: string
  series: (SeriesCounts & { server: string; environment: string })[]
  instances: {
    server: string
    environment: string
    instance: string
    state: string
    memoryBytes: number
    activeRequests: number
    restarts: number
    /** Since it was started. */
    requests: RequestSummary
  }[]
  deployments: { environment: string; status: string; count: number }[]
  builds: { status: string; count: number }[]
  containerBuilds: { status: string; count: number }[]
}

export type Labels = Record<string, string>

export interface Family {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram' | 'summary'
  samples: { labels: Labels; value: number; suffix?: string }[]
}

/**
 * The text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). prom-client writes it and
 * escapes what names hold; the figures are ours, since they come from other processes and outlive this one.
 */
export async function expose(observed: Observed): Promise<{ type: string; text: string }> {
  const registry = new Registry()
  for (const family of [...ownFamilies(observed), ...processFamilies()])
    registry.registerMetric(toMetric(family))
  return { type: registry.contentType, text: await registry.metrics() }
}

function ownFamilies({
  version,
  series,
  instances,
  deployments,
  builds,
  containerBuilds,
}: Observed): Family[] {
  const ofInstance = (value: (one: Observed['instances'][number]) => number) =>
    instances.map(one => ({ labels: instanceLabels(one), value: value(one) }))
  return [
    gauge('mcp_daemon_info', 'Which program this is.', [{ labels: { version }, value: 1 }]),
    {
      name: 'mcp_requests_total',
      help: 'MCP requests answered, of all deployments that the server ever had in the environment.',
      type: 'counter',
      samples: series.flatMap(outcomes),
    },
    {
      name: 'mcp_request_duration_seconds',
      help: 'Time from the request to its whole answer, in the instance. Bounds are met within 6.25 %.',
      type: 'histogram',
      samples: series.flatMap(durations),
    },
    gauge('mcp_instances', 'Instances that run.', countStates(instances)),
    gauge(
      'mcp_instance_memory_bytes',
      'Resident memory of the process of an instance; servers without code share one.',
      ofInstance(one => one.memoryBytes),
    ),
    gauge(
      'mcp_instance_active_requests',
      'Requests at work.',
      ofInstance(one => one.activeRequests),
    ),
    gauge(
      'mcp_instance_restarts',
      'Times that an instance in its stead has crashed.',
      ofInstance(one => one.restarts),
    ),
    {
      name: 'mcp_instance_requests_total',
      help: 'MCP requests answered by an instance since it was started.',
      type: 'counter',
      samples: instances.flatMap(instanceOutcomes),
    },
    {
      name: 'mcp_instance_request_duration_seconds',
      help: 'Time from the request to its whole answer, of an instance since it was started. Met within 3.2 %.',
      type: 'summary',
      samples: instances.flatMap(instanceDurations),
    },
    gauge(
      'mcp_deployments',
      'Deployments that serve or are about to.',
      deployments.map(({ environment, status, count }) => ({
        labels: { environment, status },
        value: count,
      })),
    ),
    gauge('mcp_builds', 'Builds of servers.', byStatus(builds)),
    gauge(
      'mcp_container_builds',
      'Container builds; those pending wait in the queue.',
      byStatus(containerBuilds),
    ),
  ]
}

function outcomes({ requests, errors, ...name }: Observed['series'][number]): Family['samples'] {
  const labels = labelsOf(name)
  return [
    { labels: { ...labels, outcome: 'ok' }, value: requests - errors },
    { labels: { ...labels, outcome: 'error' }, value: errors },
  ]
}

function durations({ requests, sumMs, latencies, ...name }: Observed['series'][number]): Family['samples'] {
  const labels = labelsOf(name)
  return [
    ...durationBuckets(latencies).map(({ le, count }) => ({
      labels: { ...labels, le: String(le) },
      value: count,
      suffix: '_bucket',
    })),
    { labels: { ...labels, le: '+Inf' }, value: requests, suffix: '_bucket' },
    { labels, value: sumMs / 1000, suffix: '_sum' },
    { labels, value: requests, suffix: '_count' },
  ]
}

function instanceLabels({ server, environment, instance }: Observed['instances'][number]): Labels {
  return { server, environment, instance }
}

function instanceOutcomes(one: Observed['instances'][number]): Family['samples'] {
  const { total, errors } = one.requests
  return [
    { labels: { ...instanceLabels(one), outcome: 'ok' }, value: total - errors },
    { labels: { ...instanceLabels(one), outcome: 'error' }, value: errors },
  ]
}

function instanceDurations(one: Observed['instances'][number]): Family['samples'] {
  const { total, p50Ms, p99Ms } = one.requests
  const labels = instanceLabels(one)
  return [
    { labels: { ...labels, quantile: '0.5' }, value: p50Ms / 1000 },
    { labels: { ...labels, quantile: '0.99' }, value: p99Ms / 1000 },
    { labels, value: total, suffix: '_count' },
  ]
}

function labelsOf({
  server,
  environment,
  method,
  tool,
}: Omit<Observed['series'][number], keyof SeriesCounts> & Pick<SeriesCounts, 'method' | 'tool'>): Labels {
  return { server, environment, method, tool }
}

function countStates(instances: Observed['instances']): Family['samples'] {
  const groups = Map.groupBy(instances, ({ server, environment, state }) =>
    JSON.stringify([server, environment, state]),
  )
  return [...groups.values()].map(group => {
    const { server, environment, state } = group[0]!
    return { labels: { server, environment, state }, value: group.length }
  })
}

function byStatus(counts: { status: string; count: number }[]): Family['samples'] {
  return counts.map(({ status, count }) => ({ labels: { status }, value: count }))
}

function gauge(name: string, help: string, samples: Family['samples']): Family {
  return { name, help, type: 'gauge', samples }
}

/** What the registry asks of a metric: a name, and its values on demand. */
function toMetric({ name, help, type, samples }: Family): Metric {
  const values = samples.map(({ labels, value, suffix }) => ({
    labels,
    value,
    ...(suffix && { metricName: `${name}${suffix}` }),
  }))
  return { name, get: async () => ({ name, help, type, values, aggregator: 'sum' }) } as unknown as Metric
}
