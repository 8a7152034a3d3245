import { type Metric, Registry } from 'prom-client'
import type { RequestSummary, SeriesCounts } from '../../shared/instances/request-tally.ts'
import { durationBuckets } from './duration-buckets.ts'
import { type Family, processFamilies } from './process-families.ts'

/** Current values on the page. */
export interface PageValues {
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
    /** Requests since the instance started. */
    requests: RequestSummary
  }[]
  deployments: { environment: string; status: string; count: number }[]
  builds: { status: string; count: number }[]
  containerBuilds: { status: string; count: number }[]
}

/**
 * The text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). prom-client writes and
 * escapes it. The values are not kept in prom-client, because they come from other processes and survive this one.
 */
export async function expose(observed: PageValues): Promise<{ type: string; text: string }> {
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
}: PageValues): Family[] {
  const ofInstance = (value: (instance: PageValues['instances'][number]) => number) =>
    instances.map(instance => ({ labels: instanceLabels(instance), value: value(instance) }))
  return [
    gauge('mcp_daemon_info', 'Version of the daemon.', [{ labels: { version }, value: 1 }]),
    {
      name: 'mcp_requests_total',
      help: 'MCP requests answered by all past and present deployments of the server in the environment.',
      type: 'counter',
      samples: series.flatMap(outcomes),
    },
    {
      name: 'mcp_request_duration_seconds',
      help: 'Time from the request to its complete answer, measured in the instance. Accurate to 6.25 %.',
      type: 'histogram',
      samples: series.flatMap(durations),
    },
    gauge('mcp_instances', 'Running instances.', countStates(instances)),
    gauge(
      'mcp_instance_memory_bytes',
      "Resident memory of an instance's process. Outside production, servers without code share one process.",
      ofInstance(one => one.memoryBytes),
    ),
    gauge(
      'mcp_instance_active_requests',
      'Running requests.',
      ofInstance(one => one.activeRequests),
    ),
    gauge(
      'mcp_instance_restarts',
      'Crashes and other replacements of this instance and its predecessors.',
      ofInstance(one => one.restarts),
    ),
    {
      name: 'mcp_instance_requests_total',
      help: 'MCP requests answered by an instance since it started.',
      type: 'counter',
      samples: instances.flatMap(instanceOutcomes),
    },
    {
      name: 'mcp_instance_request_duration_seconds',
      help: 'Time from the request to its complete answer, by instance since it started. Accurate to 3.2 %.',
      type: 'summary',
      samples: instances.flatMap(instanceDurations),
    },
    gauge(
      'mcp_deployments',
      'Deployments that are deploying or deployed.',
      deployments.map(({ environment, status, count }) => ({
        labels: { environment, status },
        value: count,
      })),
    ),
    gauge('mcp_builds', 'Builds of servers.', byStatus(builds)),
    gauge('mcp_container_builds', 'Container builds. Pending ones are queued.', byStatus(containerBuilds)),
  ]
}

function outcomes({ requests, errors, ...name }: PageValues['series'][number]): Family['samples'] {
  const labels = labelsOf(name)
  return [
    { labels: { ...labels, outcome: 'ok' }, value: requests - errors },
    { labels: { ...labels, outcome: 'error' }, value: errors },
  ]
}

function durations({ requests, sumMs, latencies, ...name }: PageValues['series'][number]): Family['samples'] {
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

function instanceLabels({
  server,
  environment,
  instance,
}: PageValues['instances'][number]): Record<string, string> {
  return { server, environment, instance }
}

function instanceOutcomes(one: PageValues['instances'][number]): Family['samples'] {
  const { total, errors } = one.requests
  return [
    { labels: { ...instanceLabels(one), outcome: 'ok' }, value: total - errors },
    { labels: { ...instanceLabels(one), outcome: 'error' }, value: errors },
  ]
}

function instanceDurations(one: PageValues['instances'][number]): Family['samples'] {
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
}: Omit<PageValues['series'][number], keyof SeriesCounts> & Pick<SeriesCounts, 'method' | 'tool'>): Record<
  string,
  string
> {
  return { server, environment, method, tool }
}

function countStates(instances: PageValues['instances']): Family['samples'] {
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

/** The part of a metric that the registry uses. */
function toMetric({ name, help, type, samples }: Family): Metric {
  const values = samples.map(({ labels, value, suffix }) => ({
    labels,
    value,
    ...(suffix && { metricName: `${name}${suffix}` }),
  }))
  return { name, get: async () => ({ name, help, type, values, aggregator: 'sum' }) } as unknown as Metric
}
