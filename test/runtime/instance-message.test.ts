import { expect, test } from 'vitest'
import { parseInstanceMessage, parseInstanceMessages } from '../../src/daemon/runtime/instance-message.ts'

const SERIES = { method: 'tools/call', tool: 'add', requests: 2, errors: 0, sumMs: 1.5, latencies: [9, 2] }
const METRICS = {
  tenantId: 'dep_a',
  connections: 1,
  activeRequests: 0,
  sessions: 0,
  requests: 3,
  errors: 0,
  lastRequestAt: 1_700_000_000_000,
  series: [SERIES],
}

test.each([
  { type: 'ready' },
  { type: 'alive' },
  { type: 'serving', tenantId: 'dep_a', prepareMs: 1.5 },
  { type: 'failed', tenantId: 'dep_a', message: 'No.', stack: 'at tools/a.ts:1:1' },
  { type: 'described', tenantId: 'dep_a', described: { tools: [], resources: [], prompts: [] } },
  { type: 'took', seq: 7 },
  { type: 'claim', tenantId: 'dep_a', session: 'x'.repeat(4096), port: 4000, gone: 4001 },
  {
    type: 'announce',
    tenantId: 'dep_a',
    lists: ['tools'],
    uris: ['file:///a'],
    used: ['s'],
    ended: ['x'.repeat(4096)],
  },
  { type: 'metrics', memoryBytes: 1, utilization: 0.5, tenants: [METRICS] },
])('$type is a message', message => {
  expect(parseInstanceMessage(message)).toBe(message)
})

test.each([
  ['no object', 'ready'],
  ['null', null],
  ['a list', [{ type: 'ready' }]],
  ['no type', {}],
  ['a type of nobody', { type: 'hand-over-everything' }],
  ['a type that every object has', { type: 'constructor' }],
  ['an id that is no text', { type: 'serving', tenantId: {}, prepareMs: 1 }],
  ['an endless id', { type: 'drained', tenantId: 'x'.repeat(1000) }],
  ['an endless sentence', { type: 'failed', tenantId: 'dep_a', message: 'x'.repeat(1_000_000) }],
  ['a description without lists', { type: 'described', tenantId: 'dep_a', described: { tools: {} } }],
  ['a number that is none', { type: 'took', seq: null }],
  ['a port that is none', { type: 'claim', tenantId: 'dep_a', session: 's', port: 70_000, gone: 1 }],
  ['a negative number', { type: 'took', seq: -1 }],
  ['a list that there is none', announcement({ lists: ['secrets'] })],
  ['the same list for ever', announcement({ lists: Array(4).fill('tools') })],
  ['too many resources', announcement({ uris: Array(101).fill('file:///a') })],
  ['too many sessions', announcement({ ended: Array(101).fill('s') })],
  ['an endless session', announcement({ used: ['x'.repeat(4097)] })],
  ['sessions that are no list', announcement({ ended: 's' })],
  ['metrics of nobody', { type: 'metrics', memoryBytes: 1, utilization: 0.5, tenants: [null] }],
  [
    'counts that are none',
    { type: 'metrics', memoryBytes: 1, utilization: 0.5, tenants: [{ ...METRICS, requests: '3' }] },
  ],
  ['too many series', metricsWith(...Array(2000).fill(SERIES))],
  ['a series of nothing', metricsWith(null)],
  ['an endless name', metricsWith({ ...SERIES, tool: 'x'.repeat(1000) })],
  ['a bucket that there is none', metricsWith({ ...SERIES, latencies: [100_000, 1] })],
  ['a bucket that is no number', metricsWith({ ...SERIES, latencies: ['0', 1] })],
  ['half a request', metricsWith({ ...SERIES, requests: Number.NaN })],
])('%s is none', (_name, message) => {
  expect(parseInstanceMessage(message)).toBeUndefined()
})

test('several messages come as one, and all of them must be messages', () => {
  const messages = [
    { type: 'took', seq: 7 },
    { type: 'wake', tenantId: 'dep_a' },
  ]
  expect(parseInstanceMessages({ type: 'several', messages })).toEqual(messages)
  expect(parseInstanceMessages(messages[0])).toEqual([messages[0]])
  expect(
    parseInstanceMessages({ type: 'several', messages: [...messages, { type: 'took' }] }),
  ).toBeUndefined()
  const nested = { type: 'several', messages }
  expect(parseInstanceMessages({ type: 'several', messages: [nested] })).toBeUndefined()
})

function metricsWith(...series: unknown[]) {
  return { type: 'metrics', memoryBytes: 1, utilization: 0.5, tenants: [{ ...METRICS, series }] }
}

function announcement(changes: object): object {
  return { type: 'announce', tenantId: 'dep_a', lists: [], uris: [], used: [], ended: [], ...changes }
}
