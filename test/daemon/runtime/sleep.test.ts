import { Agent } from 'node:http'
import { expect, test } from 'vitest'
import { post, RuntimeHarness, servedBy } from '../../helpers/instance/runtime-harness.ts'

test('a deployment without connections falls asleep and is woken by the next connection', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a', { idleMs: 20, scaling: { min: 0, max: 1 } })
  const first = await servedBy(url)
  await harness.until(() => harness.supervisor.report('dep_a').instances.length === 0)
  expect(harness.messages('dep_a')).toContain('asleep after 0.02 s without a connection or a request')
  const second = await servedBy(url)
  expect(second.pid).not.toBe(first.pid)
})

test('an open connection and a long request keep a deployment awake', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a', { idleMs: 10 })
  const agent = new Agent({ keepAlive: true })
  const { pid } = await servedBy(url, agent)
  await post(`${url}/slow?ms=100`, '', agent)
  expect(await servedBy(url, agent)).toMatchObject({ pid })
  agent.destroy()
  await harness.until(() => harness.supervisor.report('dep_a').instances.length === 0)
})

test('all connections that arrive during a wake-up are held and served', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  const places = await Promise.all(Array.from({ length: 50 }, () => servedBy(url)))
  expect(new Set(places.map(({ pid }) => pid)).size).toBe(1)
})

test('connections beyond the hold limit get 503 with Retry-After', async () => {
  await using harness = new RuntimeHarness({ limits: { hold: { connections: 2, waitMs: 30_000 } } })
  const url = await harness.add('dep_a')
  const replies = await Promise.all(Array.from({ length: 4 }, () => post(url)))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 503, 503])
  const refused = replies.find(({ status }) => status === 503)!
  expect(refused.headers['retry-after']).toBe('1')
  expect(JSON.parse(refused.text).error.message).toContain('2 connections are already waiting')
})

test('a connection that waits too long gets 503', async () => {
  await using harness = new RuntimeHarness({ limits: { hold: { connections: 10, waitMs: 20 } } })
  const url = await harness.add('dep_a', { behaviour: { hang: true } })
  const { status, text } = await post(url)
  expect(status).toBe(503)
  expect(JSON.parse(text).error.message).toBe('The server did not start within 0.02 s. See its log.')
})

test('held connections get the reason when a server fails to wake, and the failure is reported', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('mcp_a', { behaviour: { refuse: 'no such thing' } })
  const { status, text } = await post(url)
  expect(status).toBe(503)
  expect(JSON.parse(text).error.message).toBe('Server "mcp_a" did not start: no such thing.')
  expect(harness.failures.map(({ id }) => id)).toEqual(['mcp_a'])
})

test('a drain holds no further connections', async () => {
  await using harness = new RuntimeHarness({ limits: { hold: { connections: 10, waitMs: 500 } } })
  const url = await harness.add('dep_a', { behaviour: { hang: true } })
  const held = post(url)
  await harness.accepted(1)
  const drained = harness.supervisor.drain('dep_a')
  const messages = (await Promise.all([held, post(url)])).map(({ text }) => JSON.parse(text).error.message)
  expect(messages).toEqual([
    'The server did not start within 0.5 s. See its log.',
    'This server was stopped or replaced.',
  ])
  await drained
})

test('held connections are served before a drain', async () => {
  await using harness = new RuntimeHarness()
  const url = await harness.add('dep_a')
  const held = servedBy(url)
  await harness.accepted(1)
  await harness.supervisor.drain('dep_a')
  expect(await held).toMatchObject({ tenantId: 'dep_a' })
})
