import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildServer, createKey, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import {
  beginSession,
  modern,
  modernHeaders,
  open,
  post,
  readEvents,
  rpc,
} from '../../helpers/clients/mcp-requests.ts'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { signInWithKey } from '../../helpers/daemon/local-sign-in.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'

const CHANGE = `
import { defineTool } from 'mcp-hosting/server'
export default defineTool({
  description: 'Announces a change',
  handler: (_args, context) => { context.announce('tools'); return 'done' },
})`
const TWO = { scaling: { min_instances: 2, max_instances: 2 } }

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

type Headers = Record<string, string>

const list = async (server: string, query = '') =>
  (await daemon.api('GET', `/api/servers/${server}/sessions${query}`)).body
const endOne = async (server: string, id: string) =>
  (await daemon.api('DELETE', `/api/servers/${server}/sessions/${id}`)).body
const endAll = async (server: string, query = '') =>
  (await daemon.api('DELETE', `/api/servers/${server}/sessions${query}`)).body
const ping = async (url: string, session: Headers) => (await post(url, rpc('ping'), session)).status
const idOf = (session: Headers) => session['mcp-session-id']!

test('a session is listed with its client, without anything that would give access to it', async () => {
  const { url, deployment_id } = await deploy(
    daemon,
    await buildServer(daemon, echoServer('listed')),
    'production',
  )
  expect(await list('listed')).toEqual({ items: [], nextToken: null, unanswered: [] })
  const session = await beginSession(url, '2025-06-18')
  await ping(url, session)
  await ping(url, session)
  const { items } = await list('listed', '?environment=production')
  expect(items).toEqual([
    {
      id: expect.stringMatching(/^ses_[0-9a-f]{20}$/),
      kind: 'session',
      environment: 'production',
      deploymentId: deployment_id,
      instances: [idOf(session).split('.')[0]],
      sessionId: idOf(session).split('.')[1]!.slice(0, 8),
      protocolVersion: '2025-06-18',
      client: { name: 'test', version: '1' },
      caller: null,
      startedAt: expect.any(String),
      lastUsedAt: expect.any(String),
      requests: 2,
      activeRequests: 0,
      openStreams: 0,
      subscriptions: [],
    },
  ])
  expect((await list('listed', '?environment=staging')).items).toEqual([])
  expect(await ping(url, { ...session, 'mcp-session-id': items[0].id })).toBe(404)
})

test('an ended session gets 404 from every instance, even if the instance starts later, and its streams are closed', async () => {
  const { url, deployment_id } = await deploy(
    daemon,
    await buildServer(daemon, echoServer('ended')),
    'production',
    TWO,
  )
  const [session, other] = [await beginSession(url), await beginSession(url)]
  const stream = readEvents(await open(url, { headers: { ...session, accept: 'text/event-stream' } }))
  // New connections reach both instances, which then both have the sessions.
  for (let calls = 0; calls < 4; calls++) for (const each of [session, other]) await ping(url, each)
  const { items } = await list('ended')
  const listed = items.find(({ openStreams }: { openStreams: number }) => openStreams === 1)
  expect(items).toHaveLength(2)
  expect(listed).toMatchObject({ requests: 4, instances: [expect.any(String), expect.any(String)] })

  expect(await endOne('ended', listed.id)).toEqual({ ended: 1, unanswered: [] })
  expect(await stream.next()).toBeUndefined()
  for (let calls = 0; calls < 4; calls++) expect(await ping(url, session)).toBe(404)
  expect(await ping(url, other)).toBe(200)
  expect(await endOne('ended', listed.id)).toEqual({ ended: 0, unanswered: [] })
  expect((await daemon.api('POST', `/v1/deploy/${deployment_id}/restart`)).status).toBe(200)
  expect([await ping(url, session), await ping(url, other)]).toEqual([404, 200])
  expect(daemon.errors.at(-1)).toEqual({
    message: 'ended MCP sessions',
    fields: { server: 'ended', environment: 'production', sessions: [listed.id], ended: 1, by: 'owner' },
  })
})

test('all sessions in an environment can be ended, including sessions of earlier releases and those that no instance has in memory', async () => {
  const build = await buildServer(daemon, echoServer('all'))
  const { url } = await deploy(daemon, build, 'production')
  const [lost, kept] = [await beginSession(url), await beginSession(url)]
  const preview = (await daemon.api('GET', `/v1/build/${build}`)).body.data.url
  const previewed = await beginSession(preview)
  await deploy(daemon, build, 'production')
  const started = await beginSession(url)
  expect((await list('all')).items).toHaveLength(4)
  await daemon.restart()
  expect(await ping(url, kept)).toBe(200)

  // Sessions that start in the second of this call are ended too, because session ids contain only whole seconds.
  expect((await endAll('all', '?environment=production')).ended).toBe(1)
  for (const session of [lost, kept, started]) expect(await ping(url, session)).toBe(404)
  expect(await ping(preview, previewed)).toBe(200)
  await deploy(daemon, build, 'production', { session_seconds: 0 })
  expect(await ping(url, lost)).toBe(404)
  await expect.poll(async () => ping(url, await beginSession(url))).toBe(200)
})

test('subscription streams are listed and end cleanly', async () => {
  using project = createProjectFolder({ 'tools/change.ts': CHANGE })
  const { url } = await deployFolder(daemon, 'streams', project.path)
  const listen = modern(
    'subscriptions/listen',
    { notifications: { toolsListChanged: true } },
    { 'io.modelcontextprotocol/clientInfo': { name: 'modern\u0000client', version: '2' } },
  )
  const events = readEvents(await open(url, { body: listen, headers: modernHeaders('subscriptions/listen') }))
  await events.next()
  const { items } = await list('streams')
  expect(items).toEqual([
    expect.objectContaining({
      id: expect.stringMatching(/^sub_/),
      kind: 'subscription',
      sessionId: null,
      protocolVersion: '2026-07-28',
      client: { name: 'modern client', version: '2' },
      openStreams: 1,
      subscriptions: ['tools'],
    }),
  ])
  expect((await endOne('streams', items[0].id)).ended).toBe(1)
  expect((await events.next())!.json.result.resultType).toBe('complete')
  expect(await events.next()).toBeUndefined()
})

test('the session of a signed-in user names the user', async () => {
  const build = await buildServer(daemon, echoServer('signed'))
  const deployed = await deploy(daemon, build, 'production', { auth: { provider: 'local' } })
  const { sign_in } = (await daemon.api('GET', `/v1/deploy/${deployed.deployment_id}/status`)).body.data
  const { tokens } = await signInWithKey(sign_in.issuer, daemon.ownerKey)
  const authorization = `Bearer ${tokens.access_token}`
  const clientInfo = { name: 'signed', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const { headers } = await post(deployed.url, rpc('initialize', params), { authorization })
  const session = { authorization, 'mcp-session-id': String(headers['mcp-session-id']) }
  const { items } = await list('signed')
  expect(items[0].caller).toMatch(/^local\|usr_/)
  await endOne('signed', items[0].id)
  expect(await ping(deployed.url, session)).toBe(404)
})

test('pages list every session once, even if all sessions started in the same second', async () => {
  const { url } = await deploy(daemon, await buildServer(daemon, echoServer('paged')), 'production', TWO)
  const sessions = await Promise.all(Array.from({ length: 7 }, () => beginSession(url)))
  const seen: string[] = []
  for (let token: string | null = ''; token !== null; ) {
    const page = await list('paged', `?limit=3${token && `&nextToken=${token}`}`)
    seen.push(...page.items.map(({ id }: { id: string }) => id))
    token = page.nextToken
  }
  expect(seen).toHaveLength(sessions.length)
  expect(new Set(seen).size).toBe(sessions.length)
})

test('a key that may only read can list sessions but not end them', async () => {
  const { key } = await createKey(daemon, { scopes: ['READ'] })
  expect((await daemon.api('GET', '/api/servers/listed/sessions', { key })).status).toBe(200)
  expect((await daemon.api('DELETE', '/api/servers/listed/sessions', { key })).status).toBe(403)
  expect((await daemon.api('GET', '/api/servers/none/sessions')).status).toBe(404)
})
