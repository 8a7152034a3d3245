import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { open } from '../../helpers/clients/mcp-requests.ts'
import { type ApiInput, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { signInWithKey } from '../../helpers/daemon/local-sign-in.ts'
import { buildServer, createKey, deploy, echoServer } from './fixtures.ts'

const HOUR_MS = 3_600_000
const BOTH = 'application/json, text/event-stream'

let daemon: TestDaemon
let now: number
beforeAll(async () => {
  now = Date.now()
  daemon = await startTestDaemon({ clock: () => new Date(now) })
})
afterAll(() => daemon.close())
beforeEach(() => {
  now = Math.max(now, Date.now())
})

const host = () => `console.mcp-hosting.localhost:${new URL(daemon.url).port}`

/** Sends a browser's request to the console's host. */
const browse = (method: string, path: string, headers: Record<string, string> = {}, input: ApiInput = {}) =>
  daemon.api(method, path, { key: null, ...input, headers: { host: host(), ...headers } })

async function link(key?: string): Promise<string> {
  const { body } = await daemon.api('POST', '/api/console/links', { ...(key !== undefined && { key }) })
  const url = new URL(body.url)
  expect(url.host).toBe(host())
  return url.pathname + url.search
}

const cookieOf = (headers: { 'set-cookie'?: string[] }) => headers['set-cookie']![0]!.split(';')[0]!

/** Signs a browser in. Returns the headers of a request from a page of the console. */
async function signIn(key?: string): Promise<{ cookie: string; 'sec-fetch-site': string }> {
  const { headers } = await browse('GET', await link(key), { 'sec-fetch-site': 'none' })
  return { cookie: cookieOf(headers), 'sec-fetch-site': 'same-origin' }
}

const me = async (headers: Record<string, string>) =>
  (await browse('GET', '/api/console/session', headers)).status

test('the one-time URL sets a cookie for this host only and redirects to the console', async () => {
  const address = await link()
  expect(address).not.toContain(daemon.ownerKey)
  const { status, headers } = await browse('GET', address, { 'sec-fetch-site': 'none' })
  expect([status, headers.location]).toEqual([303, '/console/'])
  expect(headers['set-cookie']).toEqual([
    expect.stringMatching(/^mcp_console=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/),
  ])
  expect(headers['cache-control']).toBe('no-store')
  expect(headers['referrer-policy']).toBe('no-referrer')
  const { body } = await browse('GET', '/api/console/session', { cookie: cookieOf(headers) })
  expect(body).toMatchObject({ id: expect.stringMatching(/^con_/), key: { name: 'owner' } })
  expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(12 * HOUR_MS)
})

test('the one-time URL works once and expires after a minute', async () => {
  const address = await link()
  expect((await browse('GET', address)).status).toBe(303)
  const again = await browse('GET', address)
  expect([again.status, again.headers['set-cookie']]).toEqual([410, undefined])
  expect(again.text).toContain('mcp console')

  const late = await link()
  now += 60_001
  expect((await browse('GET', late)).status).toBe(410)
  expect((await browse('GET', '/console/sign-in')).status).toBe(410)
})

test('the one-time URL opens the page that `to` names if it belongs to the console', async () => {
  const page = '/servers/weather/logs?env=staging'
  const at = async (to: string, headers = {}) =>
    (await browse('GET', `${await link()}&to=${encodeURIComponent(to)}`, headers)).headers.location
  expect(await at(page)).toBe(`/console${page}`)
  for (const to of ['//example.com', 'https://example.com', '.example.com', '@example.com'])
    expect(new URL((await at(to))!, 'http://console').href, to).toMatch(/^http:\/\/console\/console\//)
  for (const to of ['/../api/keys', '/sign-in?code=other']) expect(await at(to), to).toBe('/console/')
})

test('a used URL redirects a signed-in browser to the page that the URL names', async () => {
  const address = `${await link()}&to=/servers/weather`
  const first = await browse('GET', address)
  const again = await browse('GET', address, { cookie: cookieOf(first.headers) })
  expect([again.status, again.headers.location]).toEqual([303, '/console/servers/weather'])
  expect(again.headers['set-cookie']).toBeUndefined()
  expect((await browse('GET', address, { cookie: 'mcp_console=other' })).status).toBe(410)
})

test('other pages, a prefetch, other hosts and other methods neither sign in nor use up the URL', async () => {
  const address = await link()
  for (const site of ['cross-site', 'same-site'])
    expect((await browse('GET', address, { 'sec-fetch-site': site })).status, site).toBe(403)
  expect((await browse('GET', address, { 'sec-purpose': 'prefetch;prerender' })).status).toBe(403)
  expect((await daemon.api('GET', address, { key: null })).status).toBe(403)
  expect((await browse('GET', address, { host: 'rebound.example.com' })).status).toBe(403)
  expect((await browse('HEAD', address)).status).toBe(405)
  expect((await browse('GET', address)).status).toBe(303)
})

test('a browser has the permissions of the key that requested the URL', async () => {
  const { key } = await createKey(daemon, { scopes: ['READ'] })
  const browser = await signIn(key)
  expect((await browse('GET', '/v1/deploy', browser)).status).toBe(200)
  const refused = await browse('POST', '/api/projects', browser, { body: { name: 'console' } })
  expect(refused.body.error.code).toBe('INSUFFICIENT_SCOPE')
  const owner = await browse('POST', '/api/projects', await signIn(), { body: { name: 'console' } })
  expect(owner.status).toBe(201)
})

test.each([
  ['GET', { 'sec-fetch-site': 'same-origin' }, 200],
  ['GET', { 'sec-fetch-site': 'none' }, 200],
  ['GET', {}, 200],
  ['GET', { 'sec-fetch-site': 'same-site' }, 403],
  ['GET', { 'sec-fetch-site': 'cross-site' }, 403],
  ['GET', { origin: 'https://evil.example' }, 403],
  ['PATCH', { 'sec-fetch-site': 'same-origin' }, 404],
  ['PATCH', { origin: 'own' }, 404],
  ['PATCH', { 'sec-fetch-site': 'same-origin', origin: 'own' }, 404],
  ['PATCH', {}, 403],
  ['PATCH', { 'sec-fetch-site': 'none' }, 403],
  ['PATCH', { 'sec-fetch-site': 'same-site' }, 403],
  ['PATCH', { 'sec-fetch-site': 'cross-site', origin: 'own' }, 403],
  ['PATCH', { origin: 'null' }, 403],
  ['PATCH', { origin: 'http://console.mcp-hosting.localhost:1' }, 403],
  ['PATCH', { origin: 'http://127.0.0.1:20001' }, 403],
] as [string, Record<string, string>, number][])(
  'a %s request with the cookie and the headers %o returns %i',
  async (method, headers, status) => {
    const { cookie } = await signIn()
    const { origin, ...rest } = headers
    const sent = {
      cookie,
      ...rest,
      ...(origin && { origin: origin === 'own' ? `http://${host()}` : origin }),
    }
    const path = method === 'GET' ? '/v1/deploy' : '/api/projects/prj_none'
    const input = method === 'GET' ? {} : { body: { description: 'changed' } }
    expect((await browse(method, path, sent, input)).status).toBe(status)
  },
)

test('the cookie is valid only at the host of the console, and a rebound name is rejected', async () => {
  const browser = await signIn()
  expect(await me(browser)).toBe(200)
  expect((await daemon.api('GET', '/v1/deploy', { key: null, headers: browser })).status).toBe(401)
  for (const name of ['rebound.example.com', 'evil.localhost', `x.${host()}`])
    expect((await browse('GET', '/v1/deploy', { ...browser, host: name })).status, name).toBe(403)
})

test('a session ends after twelve hours or when its key is revoked', async () => {
  const browser = await signIn()
  now += 12 * HOUR_MS - 1000
  expect(await me(browser)).toBe(200)
  now += 1001
  const ended = await browse('GET', '/api/console/session', browser)
  expect([ended.status, ended.body.error.message]).toEqual([401, expect.stringContaining('mcp console')])

  const { key, apiKeyId } = await createKey(daemon, { scopes: ['READ'] })
  const [guest, unused] = [await signIn(key), await link(key)]
  expect(await me(guest)).toBe(200)
  await daemon.api('DELETE', `/api/keys/${apiKeyId}`)
  expect(await me(guest)).toBe(401)
  expect((await browse('GET', unused)).status).toBe(410)
})

test('the cookie of an expired key is rejected, and an expired key gets no URL', async () => {
  const expiresAt = new Date(now + HOUR_MS).toISOString()
  const { key } = await createKey(daemon, { scopes: ['READ'], expiresAt })
  const browser = await signIn(key)
  now += HOUR_MS
  expect((await browse('GET', '/v1/deploy', browser)).status).toBe(401)
  expect((await daemon.api('POST', '/api/console/links', { key })).status).toBe(403)
})

test('signing out ends the session of this browser and removes its cookie', async () => {
  const [first, second] = [await signIn(), await signIn()]
  const { status, headers } = await browse('DELETE', '/api/console/session', first)
  expect([status, headers['set-cookie']]).toEqual([
    204,
    ['mcp_console=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict'],
  ])
  expect([await me(first), await me(second)]).toEqual([401, 200])
  expect((await browse('DELETE', '/api/console/session', { cookie: second.cookie })).status).toBe(403)
})

test('a key signs out every browser that it signed in, and no other', async () => {
  const { key } = await createKey(daemon, { scopes: ['READ'] })
  const [mine, other, unused] = [await signIn(key), await signIn(), await link(key)]
  expect((await daemon.api('DELETE', '/api/console/sessions', { key })).body).toEqual({ ended: 1 })
  expect([await me(mine), await me(other)]).toEqual([401, 200])
  expect((await browse('GET', unused)).status).toBe(410)
})

test('requests of a browser to a server are forwarded with their Authorization header', async () => {
  const { deployment_id } = await deploy(daemon, await buildServer(daemon, echoServer('behind')), 'staging', {
    auth: { provider: 'local' },
  })
  const { body } = await daemon.api('GET', `/v1/deploy/${deployment_id}/status`)
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const call = { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } }
  const send = (headers: Record<string, string>) =>
    browse('POST', '/api/servers/behind/mcp/staging', { accept: BOTH, ...headers }, call)
  const browser = await signIn()
  const refused = await send(browser)
  expect([refused.status, refused.body.error.code]).not.toEqual([401, 'UNAUTHORIZED'])
  const { tokens } = await signInWithKey(body.data.sign_in.issuer, daemon.ownerKey)
  expect((await send({ ...browser, authorization: `Bearer ${tokens.access_token}` })).status).toBe(200)
})

test('the streams of a browser close when the browser signs out or its key ends all sessions', async () => {
  const { key } = await createKey(daemon, { scopes: ['READ'] })
  const [first, second] = [await signIn(key), await signIn(key)]
  const follow = (browser: Record<string, string>) =>
    open(`${daemon.url}/api/metrics?interval=1`, {
      headers: { ...browser, host: host(), accept: 'text/event-stream' },
    })
  const streams = await Promise.all([follow(first), follow(second)])
  const [one, two] = streams.map(stream => stream.resume() && once(stream, 'end'))
  await browse('DELETE', '/api/console/session', first)
  await one
  await daemon.api('DELETE', '/api/console/sessions', { key })
  await two
})

test('a browser cannot sign another browser in, and an API key has no session', async () => {
  const browser = await signIn()
  const refused = await browse('POST', '/api/console/links', browser)
  expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN'])
  expect((await daemon.api('GET', '/api/console/session')).status).toBe(404)
  expect((await daemon.api('DELETE', '/api/console/session')).status).toBe(404)
})

test('a session survives a restart of the daemon, and only a hash of its cookie is stored', async () => {
  const [browser, unused] = [await signIn(), await link()]
  const secret = browser.cookie.split('=')[1]!
  await daemon.restart({ port: daemon.daemon.port })
  expect([await me(browser), (await browse('GET', unused)).status]).toEqual([200, 410])
  for (const file of [daemon.home.database, `${daemon.home.database}-wal`])
    expect(readFileSync(file).includes(secret)).toBe(false)
})
