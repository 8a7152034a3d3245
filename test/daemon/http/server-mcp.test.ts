import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  beginSession,
  open,
  post,
  postModern,
  readEvents,
  rpc,
  send,
} from '../../helpers/clients/mcp-requests.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { signInWithKey } from '../../helpers/daemon/local-sign-in.ts'
import { buildServer, createKey, deploy, echoServer } from './fixtures.ts'

let daemon: TestDaemon
let mcpId: string
beforeAll(async () => {
  daemon = await startTestDaemon()
  mcpId = await buildServer(daemon)
})
afterAll(() => daemon.close())

const urlOf = (name: string, environment: string) => `${daemon.url}/api/servers/${name}/mcp/${environment}`
const withKey = () => ({ authorization: `Bearer ${daemon.ownerKey}` })
const saysHello = { name: 'say', arguments: { text: 'hello' } }
const isHello = { result: { content: [{ type: 'text', text: 'You said hello' }] } }

test('a modern client calls tools of a deployment and of a preview', async () => {
  await deploy(daemon, mcpId, 'production')
  for (const environment of ['production', 'preview']) {
    const answer = await postModern(urlOf('echo', environment), 'tools/call', saysHello, withKey())
    expect(answer.json, environment).toMatchObject(isHello)
    expect(answer.headers['x-ratelimit-remaining']).toMatch(/^\d+$/)
  }
})

test('a legacy client opens a session, listens, calls a tool and ends the session', async () => {
  await deploy(daemon, mcpId, 'production')
  const url = urlOf('echo', 'production')
  const key = { 'x-api-key': daemon.ownerKey }
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  const begun = await post(url, rpc('initialize', params), key)
  const session = {
    ...key,
    'mcp-session-id': String(begun.headers['mcp-session-id']),
    'mcp-protocol-version': '2025-11-25',
  }
  const notified = await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)
  expect(notified.status).toBe(202)
  const stream = await open(url, { method: 'GET', headers: session })
  expect([stream.statusCode, stream.headers['content-type']]).toEqual([200, 'text/event-stream'])
  expect((await post(url, rpc('tools/call', saysHello), session)).text).toContain('You said hello')
  expect((await send(url, { method: 'DELETE', headers: session })).status).toBe(200)
  expect(await readEvents(stream).next()).not.toMatchObject({ json: expect.anything() })
  stream.destroy()
  expect((await post(url, rpc('tools/list'), session)).status).toBe(404)
})

test("pages from the API's origin can call servers, but pages from other origins cannot", async () => {
  const call = (origin: string) =>
    postModern(urlOf('echo', 'preview'), 'tools/call', saysHello, { ...withKey(), origin })
  expect((await call(daemon.url)).json).toMatchObject(isHello)
  expect((await call('http://127.0.0.1:1')).json.error.code).toBe('FORBIDDEN')
})

test('a protected server requires its own token in addition to the API key', async () => {
  const server = await buildServer(daemon, echoServer('guarded'))
  const { url } = await deploy(daemon, server, 'production', { auth: { provider: 'local' } })
  const path = urlOf('guarded', 'production')
  const refused = await postModern(path, 'tools/call', saysHello, withKey())
  expect(refused.status).toBe(401)
  expect(refused.headers['www-authenticate']).toContain('resource_metadata=')
  const { tokens } = await signInWithKey(`${daemon.url}/auth/guarded/production`, daemon.ownerKey, url)
  const answer = await postModern(path, 'tools/call', saysHello, {
    'x-api-key': daemon.ownerKey,
    authorization: `Bearer ${tokens.access_token}`,
  })
  expect(answer.json).toMatchObject(isHello)
})

test('an API key in Authorization does not reach the server, even if another header has a key', async () => {
  const server = await buildServer(daemon, echoServer('curious'))
  await deploy(daemon, server, 'production', { auth: { provider: 'local' } })
  const challenge = async (authorization: string) => {
    const headers = { 'x-api-key': daemon.ownerKey, authorization }
    const answer = await postModern(urlOf('curious', 'production'), 'tools/call', saysHello, headers)
    return String(answer.headers['www-authenticate'])
  }
  expect(await challenge('Bearer some.token')).toContain('error="invalid_token"')
  expect(await challenge(`Bearer ${daemon.ownerKey}`)).not.toContain('error=')
})

test('requires an API key with the scope CHAT', async () => {
  const url = urlOf('echo', 'preview')
  const call = async (headers: Record<string, string>) => {
    const { status, json } = await postModern(url, 'tools/call', saysHello, headers)
    return [status, json.error.code]
  }
  expect(await call({})).toEqual([401, 'UNAUTHORIZED'])
  expect(await call({ 'x-api-key': 'mcp_sk_wrong' })).toEqual([401, 'UNAUTHORIZED'])
  const { key } = await createKey(daemon, { scopes: ['READ', 'BUILD_AND_DEPLOY'] })
  expect(await call({ 'x-api-key': key })).toEqual([403, 'INSUFFICIENT_SCOPE'])
  const { key: expiring } = await createKey(daemon, { scopes: ['CHAT'] })
  expect(await postModern(url, 'tools/call', saysHello, { 'x-api-key': expiring })).toMatchObject({
    json: isHello,
  })
})

test('operations of the API do not accept X-Api-Key', async () => {
  const headers = { 'x-api-key': daemon.ownerKey }
  expect((await daemon.api('GET', '/v1/build', { key: null, headers })).status).toBe(401)
})

test('reports a missing server, a missing deployment and one that is not running', async () => {
  const error = async (name: string, environment: string) => {
    const { status, json } = await postModern(urlOf(name, environment), 'tools/list', {}, withKey())
    return [status, json.error.message]
  }
  expect(await error('nowhere', 'production')).toEqual([404, 'There is no server "nowhere".'])
  expect(await error('echo', 'staging')).toEqual([404, 'Server "echo" has no deployment in staging.'])
  const { deployment_id } = await deploy(daemon, mcpId, 'staging')
  await daemon.api('POST', `/v1/deploy/${deployment_id}/stop`)
  expect(await error('echo', 'staging')).toEqual([
    503,
    'The deployment in staging of server "echo" is not running.',
  ])
})

test('when a client disconnects, its stream at the server ends', async () => {
  const { url } = await deploy(daemon, mcpId, 'development')
  const headers = await beginSession(url)
  const openDirectly = async () => {
    const message = await open(url, { method: 'GET', headers })
    message.destroy()
    return message.statusCode
  }
  const stream = await open(urlOf('echo', 'development'), {
    method: 'GET',
    headers: { ...headers, ...withKey() },
  })
  expect(stream.statusCode).toBe(200)
  expect(await openDirectly()).toBe(409) // a session has one stream
  stream.destroy()
  await expect.poll(openDirectly).toBe(200)
})

test('applies the same body size limit as the server itself', async () => {
  const text = 'x'.repeat(9_000_000)
  const direct = await postModern((await deploy(daemon, mcpId)).url, 'tools/call', {
    name: 'say',
    arguments: { text },
  })
  const params = { name: 'say', arguments: { text } }
  const forwarded = await postModern(urlOf('echo', 'development'), 'tools/call', params, withKey())
  expect([forwarded.status, forwarded.text]).toEqual([413, direct.text])
})
