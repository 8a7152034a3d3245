import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChangeEvent, FeedEvent } from '../../../src/shared/contract/monitoring/events.ts'
import { beginSession, open } from '../../helpers/clients/mcp-requests.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { openFeed } from '../../helpers/daemon/event-feed.ts'
import { buildServer, createKey, deploy, echoServer } from './fixtures.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

const isHealthy = (event: FeedEvent) => event.type === 'health' && event.status === 'healthy'
const isRemoved = (type: string) => (event: FeedEvent) =>
  event.type === type && 'action' in event && event.action === 'removed'

/** Each event as `type action status (phase)`. */
function summaries(events: FeedEvent[]): string[] {
  return events.map(event => {
    const { type, action, status, phase } = event as ChangeEvent
    return [type, action, status, phase && `(${phase})`].filter(Boolean).join(' ')
  })
}

test('the event feed shows a server from its build to its removal', async () => {
  const feed = await openFeed(daemon, '?server=watched')
  expect(await feed.next()).toEqual({ type: 'reset', reason: 'new' })
  const mcpId = await buildServer(daemon, echoServer('watched'))
  await buildServer(daemon, echoServer('other'))
  const { deployment_id } = await deploy(daemon, mcpId, 'production')
  const events = await feed.until(isHealthy)
  expect(events).toContainEqual({
    type: 'deployment',
    action: 'updated',
    id: deployment_id,
    timestamp: expect.any(String),
    server: 'watched',
    environment: 'production',
    mcpId,
    status: 'deployed',
  })
  const [started] = events.filter(event => event.type === 'instance')
  expect(started).toMatchObject({ action: 'created', deploymentId: deployment_id, environment: 'production' })
  expect(summaries(events).filter(line => !line.startsWith('instance'))).toEqual([
    'server created',
    'build created building',
    'build updated ready',
    'server updated',
    'deployment created deploying',
    'release created',
    'deployment updated deploying (starting the server)',
    'deployment updated deploying (moving sessions to the new release)',
    'deployment updated deploying (switching to the new release)',
    'deployment updated deployed',
    'health updated healthy',
  ])
  expect(summaries(events).filter(line => line.startsWith('instance'))).toEqual([
    'instance created starting',
    'instance updated ready',
  ])
  await daemon.api('DELETE', '/v1/servers/watched')
  const end = summaries(await feed.until(isRemoved('server')))
  expect(end).toEqual(
    expect.arrayContaining([
      'deployment removed deployed',
      'instance removed stopped',
      'build removed ready',
    ]),
  )
  feed.close()
})

test('the event feed resumes after the last event, and begins with a reset after a restart', async () => {
  const first = await openFeed(daemon, '?types=project')
  await first.next()
  const after = first.id!
  first.close()
  const { body } = await daemon.api('POST', '/api/projects', { body: { name: 'resumed' } })
  const second = await openFeed(daemon, '?types=project', { after })
  expect(await second.next()).toMatchObject({ type: 'project', action: 'created', id: body.id })
  const ended = second.ended()
  await daemon.restart()
  expect(await ended).toEqual([])
  const third = await openFeed(daemon, '', { after: second.id })
  expect(await third.next()).toEqual({ type: 'reset', reason: 'restarted' })
  third.close()
})

test('a key gets only the events that it may read', async () => {
  const { key } = await createKey(daemon, { scopes: ['READ'] })
  const feed = await openFeed(daemon, '', { key })
  const ownFeed = await openFeed(daemon)
  const { apiKeyId } = await createKey(daemon, { scopes: ['READ'] })
  expect((await ownFeed.until(({ type }) => type === 'key')).at(-1)).toMatchObject({
    action: 'created',
    id: apiKeyId,
  })
  await daemon.api('POST', '/api/projects', { body: { name: 'seen' } })
  expect(summaries([await feed.next(), await feed.next()])).toEqual(['reset', 'project created active'])
  feed.close()
  ownFeed.close()
  const { key: builder } = await createKey(daemon, { scopes: ['BUILD_AND_DEPLOY'] })
  expect((await daemon.api('GET', '/api/events', { key: builder })).status).toBe(403)
})

test('closes the event stream of a revoked key', async () => {
  const { key, apiKeyId } = await createKey(daemon, { scopes: ['READ'] })
  const feed = await openFeed(daemon, '', { key })
  await feed.next()
  await daemon.api('DELETE', `/api/keys/${apiKeyId}`)
  expect(await feed.ended()).toEqual([])
})

test('closes log, metrics and MCP streams when their key is revoked', async () => {
  const mcpId = await buildServer(daemon, echoServer('streaming'))
  const { url } = await deploy(daemon, mcpId, 'production')
  const { key, apiKeyId } = await createKey(daemon, { scopes: ['READ', 'CHAT'] })
  const session = await beginSession(url)
  const paths = ['/api/logs', '/api/metrics', '/api/servers/streaming/mcp/production']
  const streams = await Promise.all(
    paths.map(path => {
      const headers = { ...session, authorization: `Bearer ${key}`, accept: 'text/event-stream' }
      return open(new URL(path, daemon.url).href, { method: 'GET', headers })
    }),
  )
  expect(streams.map(({ headers }) => headers['content-type'])).toEqual(paths.map(() => 'text/event-stream'))
  const ended = streams.map(stream => once(stream.resume(), 'end'))
  await daemon.api('DELETE', `/api/keys/${apiKeyId}`)
  await Promise.all(ended)
})

test('the event feed refuses metrics to a key without READ', async () => {
  const { key } = await createKey(daemon, { scopes: ['CHAT'] })
  const { status, body } = await daemon.api('GET', '/api/events?metrics=1', { key })
  expect([status, body.error.code]).toEqual([403, 'INSUFFICIENT_SCOPE'])
})

test('the event feed includes metrics on request', async () => {
  const mcpId = await buildServer(daemon, echoServer('measured'))
  const { url } = await deploy(daemon, mcpId, 'production')
  const feed = await openFeed(daemon, '?server=measured&types=server&metrics=1')
  await feed.next()
  await callTool(url, 'say', { text: 'hello' })
  const hasRequests = (event: FeedEvent) =>
    event.type === 'metrics' && event.deployments.some(({ requests }) => requests.total > 0)
  const metrics = (await feed.until(hasRequests)).at(-1)
  expect(metrics).toMatchObject({
    type: 'metrics',
    deployments: [{ name: 'measured', environment: 'production', instances: 1 }],
  })
  feed.close()
})

test('rejects unknown event types and lists the known ones', async () => {
  const { status, body } = await daemon.api('GET', '/api/events?types=server,cloud')
  expect(status).toBe(400)
  expect(body.error.details).toContain('types: expected one or more of server, build')
})
