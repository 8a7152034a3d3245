import { expect, test } from 'vitest'
import { parseInstanceMessage } from '../../src/daemon/runtime/instance-message.ts'

const METRICS = {
  tenantId: 'dep_a',
  connections: 1,
  activeRequests: 0,
  sessions: 0,
  requests: 3,
  errors: 0,
  latencyBuckets: [1, 2],
  lastRequestAt: 1_700_000_000_000,
}

test.each([
  { type: 'ready' },
  { type: 'alive' },
  { type: 'serving', tenantId: 'dep_a', prepareMs: 1.5 },
  { type: 'failed', tenantId: 'dep_a', message: 'No.', stack: 'at tools/a.ts:1:1' },
  { type: 'described', tenantId: 'dep_a', described: { tools: [], resources: [], prompts: [] } },
  { type: 'took', seq: 7 },
  { type: 'claim', tenantId: 'dep_a', session: 'inst_a.b.c', port: 4000, gone: 4001 },
  { type: 'metrics', memoryBytes: 1, tenants: [METRICS] },
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
  ['metrics of nobody', { type: 'metrics', memoryBytes: 1, tenants: [null] }],
  ['counts that are none', { type: 'metrics', memoryBytes: 1, tenants: [{ ...METRICS, requests: '3' }] }],
  [
    'too many buckets',
    { type: 'metrics', memoryBytes: 1, tenants: [{ ...METRICS, latencyBuckets: Array(99).fill(0) }] },
  ],
])('%s is none', (_name, message) => {
  expect(parseInstanceMessage(message)).toBeUndefined()
})
