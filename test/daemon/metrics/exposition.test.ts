import { expect, test } from 'vitest'
import { expose, type PageValues } from '../../../src/daemon/metrics/exposition.ts'
import { RequestTally } from '../../../src/shared/instances/request-tally.ts'
import { parsePage } from '../../helpers/daemon/prometheus.ts'

const NOTHING: PageValues = {
  version: '1.2.3',
  series: [],
  instances: [],
  deployments: [],
  builds: [],
  containerBuilds: [],
}

function series(tool: string, ...latenciesMs: number[]): PageValues['series'][number] {
  const tally = new RequestTally()
  for (const ms of latenciesMs) tally.record(ms, ms > 1000)
  return { server: 'weather', environment: 'production', method: 'tools/call', tool, ...tally.counts() }
}

const pageOf = async (changes: Partial<PageValues>) =>
  parsePage((await expose({ ...NOTHING, ...changes })).text)

test('metrics preserve quotes, backslashes and line feeds in names', async () => {
  const hostile = 'a"} 1\nmcp_requests_total{tool="b\\'
  const page = await pageOf({ series: [series(hostile, 1)] })
  expect(page.get('mcp_requests_total')!.metrics.map(({ labels }) => labels!.tool)).toEqual([
    hostile,
    hostile,
  ])
})

test('metrics count requests by outcome', async () => {
  const page = await pageOf({ series: [series('add', 1, 2, 5000)] })
  const name = { server: 'weather', environment: 'production', method: 'tools/call', tool: 'add' }
  expect(page.get('mcp_requests_total')).toMatchObject({
    type: 'COUNTER',
    metrics: [
      { labels: { ...name, outcome: 'ok' }, value: '2' },
      { labels: { ...name, outcome: 'error' }, value: '1' },
    ],
  })
})

test('the buckets of the duration histogram never decrease and end with the total', async () => {
  const { text } = await expose({ ...NOTHING, series: [series('add', 0.2, 3, 3, 40, 90_000)] })
  const family = parsePage(text).get('mcp_request_duration_seconds')!
  expect(family.type).toBe('HISTOGRAM')
  const { buckets } = family.metrics[0]!
  const until = (bounds: string[], value: string) => Object.fromEntries(bounds.map(le => [le, value]))
  expect(buckets).toEqual({
    ...until(['0.0005', '0.001', '0.0025'], '1'),
    ...until(['0.005', '0.01', '0.025'], '3'),
    ...until(['0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '30', '60'], '4'),
    '+Inf': '5',
  })
  // The parser drops the count and the sum of a histogram with labels.
  const labels = 'server="weather",environment="production",method="tools/call",tool="add"'
  expect(text).toContain(`mcp_request_duration_seconds_count{${labels}} 5`)
  expect(text).toMatch(new RegExp(`mcp_request_duration_seconds_sum{${labels}} 90\\.046`))
})

test('metrics list instances and count them by state', async () => {
  const one = {
    server: 'weather',
    environment: 'staging',
    instance: 'inst_a',
    state: 'ready',
    memoryBytes: 1000,
    activeRequests: 2,
    restarts: 3,
    requests: { total: 10, errors: 1, errorRate: 0.1, p50Ms: 2, p99Ms: 40 },
  }
  const page = await pageOf({ instances: [one, { ...one, instance: 'inst_b' }] })
  expect(page.get('mcp_instances')!.metrics).toEqual([
    { labels: { server: 'weather', environment: 'staging', state: 'ready' }, value: '2' },
  ])
  expect(page.get('mcp_instance_memory_bytes')!.metrics).toHaveLength(2)
  expect(page.get('mcp_instance_restarts')!.metrics[0]!.value).toBe('3')
  expect(page.get('mcp_instance_requests_total')!.metrics.map(({ value }) => value)).toEqual([
    '9',
    '1',
    '9',
    '1',
  ])
  expect(page.get('mcp_instance_request_duration_seconds')).toMatchObject({
    type: 'SUMMARY',
    metrics: [{ quantiles: { '0.5': '0.002', '0.99': '0.04' } }],
  })
})
