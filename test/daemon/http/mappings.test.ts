import { readFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { buildServer, deploy, echoServer } from './fixtures.ts'

let daemon: TestDaemon
let echo: { deployment_id: string }
let other: { deployment_id: string }

beforeAll(async () => {
  daemon = await startTestDaemon({ namedPorts: { http: 0, https: 0 } })
  echo = await deploy(daemon, await buildServer(daemon), 'staging')
  other = await deploy(daemon, await buildServer(daemon, echoServer('other')), 'production', {
    domain: 'MCP.Example.com',
  })
})

afterAll(() => daemon.close())

const put = (subdomain: string, deploymentId: string, options: object = {}, headers = {}) =>
  daemon.api('PUT', `/api/lambda-mapping/${subdomain}`, { body: { deploymentId, ...options }, headers })

test('maps, lists, changes and removes a subdomain', async () => {
  const made = await put('team', echo.deployment_id)
  expect(made.status).toBe(200)
  expect(made.body).toMatchObject({
    subdomain: 'team',
    deploymentId: echo.deployment_id,
    status: 'deployed',
    server: 'echo',
    environment: 'staging',
    url: expect.stringMatching(/^http:\/\/team\.localhost:\d+\/mcp$/),
    secureUrl: expect.stringMatching(/^https:\/\/team\.localhost:\d+\/mcp$/),
  })
  expect(await health(made.body.url)).toMatchObject({ server: 'echo' })
  const refused = await put('team', other.deployment_id)
  expect([refused.status, refused.body.error]).toMatchObject([
    409,
    { code: 'CONFLICT', message: 'The subdomain "team" points to "echo" in staging.' },
  ])
  expect((await put('team', echo.deployment_id)).status).toBe(200)
  const moved = await put('team', other.deployment_id, { replace: true })
  expect(moved.body).toMatchObject({ server: 'other', createdAt: made.body.createdAt })
  expect(await health(made.body.url)).toMatchObject({ server: 'other' })
  const back = await put('team', echo.deployment_id, {}, { 'if-match': moved.headers.etag })
  expect(back.body).toMatchObject({ server: 'echo' })
  await put('team', other.deployment_id, { replace: true })
  const list = await daemon.api('GET', '/api/lambda-mapping')
  expect(list.body).toMatchObject({ items: [{ subdomain: 'team', server: 'other' }], nextToken: null })
  expect((await daemon.api('DELETE', '/api/lambda-mapping/team')).status).toBe(204)
  expect((await daemon.api('DELETE', '/api/lambda-mapping/team')).status).toBe(404)
  await expect(health(made.body.url)).rejects.toThrow('421')
})

test('a mapping follows the releases of its server', async () => {
  const { body: mapping } = await put('always', other.deployment_id)
  const released = await deploy(daemon, await buildServer(daemon, echoServer('other')), 'production')
  const { body } = await daemon.api('GET', '/api/lambda-mapping')
  expect(body.items[0]).toMatchObject({ subdomain: 'always', deploymentId: released.deployment_id })
  expect(await health(mapping.url)).toMatchObject({ server: 'other' })
  await daemon.api('POST', `/v1/deploy/${released.deployment_id}/stop`)
  await expect(health(mapping.url)).rejects.toThrow('503')
  await daemon.api('POST', `/v1/deploy/${released.deployment_id}/start`)
  expect(await health(mapping.url)).toMatchObject({ server: 'other' })
})

test('serves a deployment at its subdomain and its domain, over HTTP and HTTPS', async () => {
  const released = await deploy(daemon, await buildServer(daemon, echoServer('other')), 'production', {
    domain: 'mcp.example.com',
  })
  const { body } = await daemon.api('GET', `/v1/deploy/${released.deployment_id}/status`)
  const urls: string[] = body.data.named_urls
  expect(urls.map(url => url.replace(/:\d+/, ''))).toEqual([
    'http://mcp.example.com/mcp',
    'https://mcp.example.com/mcp',
    'http://other.localhost/mcp',
    'https://other.localhost/mcp',
  ])
  await health(urls[3]!).catch(() => {}) // the first https connection creates the local authority
  const ca = readFileSync(join(daemon.home.tls, 'authority.pem'))
  for (const url of urls) expect(await health(url, ca)).toMatchObject({ server: 'other' })
})

test("rejects a mapping with another server's subdomain, an unknown deployment or an invalid name", async () => {
  const { body } = await daemon.api('GET', `/v1/deploy/${echo.deployment_id}/status`)
  expect((await put(body.data.subdomain, other.deployment_id)).body.error).toMatchObject({ code: 'CONFLICT' })
  expect((await put(body.data.subdomain, echo.deployment_id)).status).toBe(200)
  expect((await put('team', 'dep_none')).status).toBe(404)
  for (const name of ['UPPER', '-a', 'a-', 'a_b', 'x'.repeat(64)])
    expect((await put(name, echo.deployment_id)).status).toBe(400)
})

test('a generated subdomain can be removed and mapped again', async () => {
  const named = await deploy(daemon, await buildServer(daemon, echoServer('named')), 'production')
  const status = async () => (await daemon.api('GET', `/v1/deploy/${named.deployment_id}/status`)).body.data
  const { subdomain, named_urls } = await status()
  expect((await daemon.api('DELETE', `/api/lambda-mapping/${subdomain}`)).status).toBe(204)
  await expect(health(named_urls[0])).rejects.toThrow('421')
  expect(await status()).toMatchObject({ subdomain: null, named_urls: [], url: named.url })
  expect((await daemon.api('DELETE', `/api/lambda-mapping/${subdomain}`)).status).toBe(404)
  expect((await put(subdomain, named.deployment_id)).status).toBe(200)
  expect(await health(named_urls[0])).toMatchObject({ server: 'named' })
})

test('removing a server removes its mappings', async () => {
  const mcpId = await buildServer(daemon, echoServer('brief'))
  const brief = await deploy(daemon, mcpId, 'development')
  const { body } = await put('brief-name', brief.deployment_id)
  await daemon.api('POST', `/v1/deploy/${brief.deployment_id}/stop`)
  await daemon.api('DELETE', `/v1/deploy/${brief.deployment_id}`)
  await daemon.api('DELETE', `/v1/build/${mcpId}`)
  await expect(health(body.url)).rejects.toThrow('421')
})

/** `GET /health` with the URL's host, sent to the URL's port on 127.0.0.1. */
function health(url: string, ca?: Buffer): Promise<Record<string, unknown>> {
  const { protocol, host, hostname, port } = new URL(url)
  const request = protocol === 'https:' ? secureRequest : plainRequest
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: '/health',
      servername: hostname,
      ca,
      agent: false,
      headers: { host },
    }
    const sent = request(options as object, response => {
      text(response).then(body => {
        if (response.statusCode === 200) resolve(JSON.parse(body))
        else reject(new Error(`${response.statusCode} ${body}`))
      }, reject)
    })
    sent.once('error', reject).end()
  })
}
