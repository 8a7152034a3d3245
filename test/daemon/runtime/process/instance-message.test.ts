import { expect, test } from 'vitest'
import {
  parseInstanceMessage,
  parseInstanceMessages,
} from '../../../../src/daemon/runtime/process/instance-message.ts'

const SERIES = { method: 'tools/call', tool: 'add', requests: 2, errors: 0, sumMs: 1.5, latencies: [9, 2] }
const SESSION = {
  id: 'ses_0123456789abcdef0123',
  kind: 'session',
  label: 'abc',
  protocolVersion: '2025-11-25',
  client: { name: 'test', version: '1' },
  caller: 'github|42',
  startedAt: 1000,
  lastUsedAt: 2000,
  requests: 1,
  activeRequests: 0,
  openStreams: 0,
  subscriptions: ['tools'],
}
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
  { type: 'sessions', tenantId: 'dep_a', sessions: [SESSION] },
  { type: 'sessions-ended', tenantId: 'dep_a', ids: ['ses_0123456789abcdef0123'] },
  { type: 'metrics', memoryBytes: 1, utilization: 0.5, tenants: [METRICS] },
])('accepts a message of type $type', message => {
  expect(parseInstanceMessage(message)).toBe(message)
})

test.each([
  ['a string instead of an object', 'ready'],
  ['null instead of an object', null],
  ['a list instead of an object', [{ type: 'ready' }]],
  ['no type', {}],
  ['an unknown type', { type: 'hand-over-everything' }],
  ['the name of an Object.prototype property as the type', { type: 'constructor' }],
  ['an id that is not a string', { type: 'serving', tenantId: {}, prepareMs: 1 }],
  ['a very long id', { type: 'drained', tenantId: 'x'.repeat(1000) }],
  ['a very long text', { type: 'failed', tenantId: 'dep_a', message: 'x'.repeat(1_000_000) }],
  ['tools that are not an array', { type: 'described', tenantId: 'dep_a', described: { tools: {} } }],
  ['null instead of a number', { type: 'took', seq: null }],
  ['a port out of range', { type: 'claim', tenantId: 'dep_a', session: 's', port: 70_000, gone: 1 }],
  ['a negative number', { type: 'took', seq: -1 }],
  ['an unknown list', announcement({ lists: ['secrets'] })],
  ['too many lists', announcement({ lists: Array(4).fill('tools') })],
  ['too many resources', announcement({ uris: Array(101).fill('file:///a') })],
  ['too many sessions', announcement({ ended: Array(101).fill('s') })],
  ['a very long session id', announcement({ used: ['x'.repeat(4097)] })],
  ['sessions that are not an array', announcement({ ended: 's' })],
  ['too many reported sessions', sessionsOf(...Array(101).fill(SESSION))],
  ['a session id instead of a handle', sessionsOf({ ...SESSION, id: 'inst_a.abc.0.mac' })],
  ['a very long client name', sessionsOf({ ...SESSION, client: { name: 'x'.repeat(1000), version: '1' } })],
  ['a time outside the range of dates', sessionsOf({ ...SESSION, startedAt: 1e300 })],
  ['a fraction of a request', sessionsOf({ ...SESSION, requests: 0.5 })],
  ['too many subscriptions', sessionsOf({ ...SESSION, subscriptions: Array(6).fill('tools') })],
  ['too many ended sessions', { type: 'sessions-ended', tenantId: 'dep_a', ids: Array(11_001).fill('s') }],
  ['null as metrics', { type: 'metrics', memoryBytes: 1, utilization: 0.5, tenants: [null] }],
  [
    'counts that are not numbers',
    { type: 'metrics', memoryBytes: 1, utilization: 0.5, tenants: [{ ...METRICS, requests: '3' }] },
  ],
  ['too many series', metricsWith(...Array(2000).fill(SERIES))],
  ['null as series', metricsWith(null)],
  ['a very long tool name', metricsWith({ ...SERIES, tool: 'x'.repeat(1000) })],
  ['a bucket out of range', metricsWith({ ...SERIES, latencies: [100_000, 1] })],
  ['a bucket that is not a number', metricsWith({ ...SERIES, latencies: ['0', 1] })],
  ['NaN as a count', metricsWith({ ...SERIES, requests: Number.NaN })],
  ['an impossible number of requests', metricsWith({ ...SERIES, requests: 1e308 })],
  ['an impossible number of requests in a bucket', metricsWith({ ...SERIES, latencies: [0, 1e308] })],
  ['a sum of latencies that would overflow', metricsWith({ ...SERIES, sumMs: 1e308 })],
  [
    'an impossible amount of memory',
    { type: 'metrics', memoryBytes: 1e308, utilization: 0.5, tenants: [METRICS] },
  ],
])('rejects a message with %s', (_name, message) => {
  expect(parseInstanceMessage(message)).toBeUndefined()
})

test('accepts a batch of messages only if all of them are valid', () => {
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

function sessionsOf(...sessions: unknown[]) {
  return { type: 'sessions', tenantId: 'dep_a', sessions }
}
