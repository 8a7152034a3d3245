import { Agent } from 'node:http'
import { expect, test } from 'vitest'
import { post, RuntimeHarness, where } from '../helpers/runtime-harness.ts'

test('a deployment without connections ends its process and is woken by the next one', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a', { idleMs: 20, scaling: { min: 0, max: 1 } })
  const first = await where(url)
  await harness.until(() => harness.supervisor.report('dep_a').instances.length === 0)
  expect(harness.messages('dep_a')).toContain('asleep after 0.02 s without a connection or a request')
  const second = await where(url)
  expect(second.pid).not.toBe(first.pid)
  expect(harness.supervisor.report('dep_a').requests.total).toBeGreaterThanOrEqual(1)
})

test('an open connection and a long request keep it awake', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a', { idleMs: 10 })
  const agent = new Agent({ keepAlive: true })
  const { pid } = await where(url, agent)
  await post(`${url}/slow?ms=100`, '', agent)
  expect(await where(url, agent)).toMatchObject({ pid })
  agent.destroy()
  await harness.until(() => harness.supervisor.report('dep_a').instances.length === 0)
})

test('all connections that come while it wakes are held and served', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  const places = await Promise.all(Array.from({ length: 50 }, () => where(url)))
  expect(new Set(places.map(({ pid }) => pid)).size).toBe(1)
})

test('more held connections than the limit get 503 and when to try again', async () => {
  await using harness = new RuntimeHarness({ limits: { hold: { connections: 2, waitMs: 30_000 } } })
  const url = await harness.add('dep_a')
  const replies = await Promise.all(Array.from({ length: 4 }, () => post(url)))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 503, 503])
  const refused = replies.find(({ status }) => status === 503)!
  expect(refused.headers['retry-after']).toBe('1')
  expect(JSON.parse(refused.text).error.message).toContain('2 connections already wait')
})

test('a connection that waits too long gets 503', async () => {
  await using harness = new RuntimeHarness({ limits: { hold: { connections: 10, waitMs: 20 } } })
  const url = await harness.add('dep_a', { wishes: { hang: true } })
  const { status, text } = await post(url)
  expect(status).toBe(503)
  expect(JSON.parse(text).error.message).toBe('The server did not start within 0.02 s. Its log tells why.')
})

test('a server that fails to wake answers what waits with the reason, and is reported', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('mcp_a', { wishes: { refuse: 'no such thing' } })
  const { status, text } = await post(url)
  expect(status).toBe(503)
  expect(JSON.parse(text).error.message).toBe('Server "mcp_a" did not start: no such thing.')
  expect(harness.failures.map(({ id }) => id)).toEqual(['mcp_a'])
})

test('a drain lets those that are still held be served', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  const held = where(url)
  await harness.accepted(1)
  await harness.supervisor.drain('dep_a')
  expect(await held).toMatchObject({ tenantId: 'dep_a' })
})
