import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRegistrationLimit } from '../../../src/sdk/oauth/clients/registration-limit.ts'
import { errorOf, openAuthorize, signIn, startFlow } from './support/flow.ts'
import { CALLBACK, type Mounted, mountAuthorizationServer } from './support/mounted.ts'

let mounted: Mounted
let time = 0

beforeAll(async () => {
  mounted = await mountAuthorizationServer({
    enableDCR: true,
    registrationsPerHour: 1000,
    now: () => Date.now() / 1000 + time,
  })
})
afterAll(() => mounted[Symbol.asyncDispose]())
beforeEach(() => {
  time = 0
})

function register(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${mounted.issuer}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

async function registered(body: object): Promise<Record<string, unknown>> {
  const response = await register(body)
  expect(response.status).toBe(201)
  return (await response.json()) as Record<string, unknown>
}

test('a registration returns the documented fields, with defaults for omitted metadata', async () => {
  const client = await registered({ client_name: 'A client', redirect_uris: ['https://client.example/cb'] })
  expect(client).toEqual({
    client_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    client_secret: expect.stringMatching(/^[\w-]{43}$/),
    client_secret_expires_at: 0,
    client_id_issued_at: expect.any(Number),
    client_name: 'A client',
    redirect_uris: ['https://client.example/cb'],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_basic',
  })
})

test('a public client gets no secret, and unsupported metadata is omitted', async () => {
  const client = await registered({
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    response_types: ['code', 'token'],
    application_type: 'native',
    client_uri: 'https://client.example',
    jwks_uri: 'https://client.example/jwks',
    backchannel_logout_uri: 'https://client.example/out',
  })
  expect(client).not.toHaveProperty('client_secret')
  expect(client).not.toHaveProperty('jwks_uri')
  expect(client).not.toHaveProperty('backchannel_logout_uri')
  expect(client).toMatchObject({
    grant_types: ['authorization_code'],
    response_types: ['code'],
    application_type: 'native',
    client_uri: 'https://client.example',
  })
})

test.each([
  [{}, 'invalid_redirect_uri'],
  [{ redirect_uris: [] }, 'invalid_redirect_uri'],
  [{ redirect_uris: ['http://evil.example/cb'] }, 'invalid_redirect_uri'],
  [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
  [
    { redirect_uris: Array.from({ length: 21 }, (_, index) => `https://c.example/${index}`) },
    'invalid_redirect_uri',
  ],
  [{ redirect_uris: CALLBACK }, 'invalid_client_metadata'],
  [{ redirect_uris: [1] }, 'invalid_client_metadata'],
  [{ redirect_uris: [CALLBACK], client_name: 'x'.repeat(201) }, 'invalid_client_metadata'],
  [{ redirect_uris: [CALLBACK], client_name: {} }, 'invalid_client_metadata'],
  [{ redirect_uris: [CALLBACK], client_name: 'Bank \u202egnp.exe' }, 'invalid_client_metadata'],
  [{ redirect_uris: [CALLBACK], client_name: 'A\nB' }, 'invalid_client_metadata'],
  [{ redirect_uris: [CALLBACK], client_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
  [{ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
  [{ redirect_uris: [CALLBACK], application_type: 'desktop' }, 'invalid_client_metadata'],
  [{ redirect_uris: [CALLBACK], grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
  [{ redirect_uris: [CALLBACK], response_types: ['token'] }, 'invalid_client_metadata'],
  [[], 'invalid_request'],
  ['{', 'invalid_request'],
  ['null', 'invalid_request'],
])('rejects the registration %j', async (body, error) => {
  expect(await errorOf(await register(body))).toEqual({ status: 400, error })
})

test('rejects a registration whose body is too long or not JSON', async () => {
  expect((await register({ redirect_uris: [CALLBACK], padding: 'x'.repeat(20_000) })).status).toBe(413)
  expect((await register({ redirect_uris: [CALLBACK] }, { 'content-type': 'text/plain' })).status).toBe(400)
})

test('removes clients without a sign-in after a day, and keeps others', async () => {
  const body = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }
  const unused = String((await registered(body)).client_id)
  const used = String((await registered(body)).client_id)
  const base = `${mounted.issuer}/oauth`
  await signIn(base, { client_id: used })
  time = 25 * 3600
  expect((await openAuthorize(startFlow(base, { client_id: unused }))).status).toBe(400)
  time = 1000 * 24 * 3600
  expect((await openAuthorize(startFlow(base, { client_id: used }))).status).toBe(200)
})

test('registered clients cannot use failing requests to redirect users to other computers', async () => {
  const redirect_uris = ['https://phishing.example/sign-in', 'http://127.0.0.1/callback', 'app://done']
  const client_id = String(
    (await registered({ redirect_uris, token_endpoint_auth_method: 'none' })).client_id,
  )
  const ask = (redirect_uri: string) => {
    const { authorizeUrl } = startFlow(`${mounted.issuer}/oauth`, {
      client_id,
      redirect_uri,
      scope: 'none such',
    })
    return fetch(authorizeUrl, { redirect: 'manual' })
  }
  for (const address of ['https://phishing.example/sign-in', 'app://done']) {
    const page = await ask(address)
    expect(page.status).toBe(400)
    expect(page.headers.get('location')).toBeNull()
    const link = /<a href="([^"]+)"/.exec(await page.text())![1]!
    expect(link).toContain(`${address}?error=invalid_scope`)
  }
  expect((await ask('http://127.0.0.1/callback')).status).toBe(302)
})

test('limits registrations from one client address', async () => {
  mounted.restart({ registrationsPerHour: 3 })
  const statuses: number[] = []
  for (let turn = 0; turn < 4; turn++) statuses.push((await register({ redirect_uris: [CALLBACK] })).status)
  expect(statuses).toEqual([201, 201, 201, 429])
  time = 3601
  expect((await register({ redirect_uris: [CALLBACK] })).status).toBe(201)
})

test('client addresses do not affect each other, and clients that share an address wait at most a minute', () => {
  const limit = createRegistrationLimit()
  const registered = (address: string, now: number, tries: number) =>
    Array.from({ length: tries }, () => limit.waitSeconds(address, now)).filter(wait => wait === 0).length
  expect(registered('203.0.113.7', 0, 100)).toBe(60)
  expect(registered('203.0.113.8', 0, 100)).toBe(60)
  expect(limit.waitSeconds('203.0.113.7', 0)).toBe(60)
  expect(limit.waitSeconds('203.0.113.7', 60)).toBe(0)
  expect(limit.waitSeconds('203.0.113.7', 60)).toBe(60)
  for (const shared of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '']) {
    expect(registered(shared, 0, 1000)).toBe(600)
    expect(limit.waitSeconds(shared, 0)).toBe(6)
  }
})

test('limits the number of clients without a sign-in', async () => {
  const { memoryStorage } = await import('../../../src/sdk/oauth/storage/memory.ts')
  const storage = memoryStorage()
  for (let client = 0; client < 10_000; client++) await storage.put('new-client', `c${client}`, {})
  mounted.restart({ storage })
  const answer = await register({ redirect_uris: [CALLBACK] })
  expect(answer.status).toBe(429)
  expect(answer.headers.get('retry-after')).toBe('3600')
})

test('removes unused clients after an hour when there are many', async () => {
  const { memoryStorage } = await import('../../../src/sdk/oauth/storage/memory.ts')
  const storage = memoryStorage({ now: () => Date.now() / 1000 + time })
  mounted.restart({ storage })
  for (let client = 1; client < 5000; client++) await storage.put('new-client', `c${client}`, {})
  for (const expected of [5000, 5001]) {
    await registered({ redirect_uris: [CALLBACK] })
    expect(await storage.count('new-client')).toBe(expected)
  }
  time = 3601
  expect(await storage.count('new-client')).toBe(5000)
})

test('all addresses in an IPv6 /64 network count as one', () => {
  const limit = createRegistrationLimit(2)
  const same = ['2001:db8:1:2::1', '2001:DB8:1:2:ffff:0:0:1', '2001:0db8:0001:0002::', '2001:db8:1:2::9%eth0']
  expect(same.map(address => limit.waitSeconds(address, 0) > 0)).toEqual([false, false, true, true])
  for (const other of ['2001:db8:1:3::1', '2001:db8::1:2', '::2001:db8:1:2', '203.0.113.7'])
    expect(limit.waitSeconds(other, 0)).toBe(0)
})

test('rejects registrations when they are disabled', async () => {
  mounted.restart({ enableDCR: false })
  expect((await register({ redirect_uris: [CALLBACK] })).status).toBe(404)
})
