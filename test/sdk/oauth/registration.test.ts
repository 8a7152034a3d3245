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

test('answers with the documented fields, and what else is honoured', async () => {
  const client = await registered({ client_name: 'A client', redirect_uris: ['https://client.example/cb'] })
  expect(client).toEqual({
    client_id: expect.stringMatching(/^[\w-]{22}$/),
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

test('a public client gets no secret; what is not supported is left out of the answer', async () => {
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
])('%j is refused', async (body, error) => {
  expect(await errorOf(await register(body))).toEqual({ status: 400, error })
})

test('a body that is too long, or of another kind, is refused', async () => {
  expect((await register({ redirect_uris: [CALLBACK], padding: 'x'.repeat(20_000) })).status).toBe(413)
  expect((await register({ redirect_uris: [CALLBACK] }, { 'content-type': 'text/plain' })).status).toBe(400)
})

test('a client that nobody signed in with is forgotten after a day, one that was used is not', async () => {
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

test('whoever registers cannot have users sent on by a request that must fail, but on their own computer', async () => {
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

test('after many registrations from one address the next must wait', async () => {
  mounted.restart({ registrationsPerHour: 3 })
  const statuses: number[] = []
  for (let turn = 0; turn < 4; turn++) statuses.push((await register({ redirect_uris: [CALLBACK] })).status)
  expect(statuses).toEqual([201, 201, 201, 429])
  time = 3601
  expect((await register({ redirect_uris: [CALLBACK] })).status).toBe(201)
})

test('one address cannot keep another one out, and clients that share one wait a minute at most', () => {
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

test('there are only so many clients that nobody used', async () => {
  const { memoryStorage } = await import('../../../src/sdk/oauth/storage/memory.ts')
  const storage = memoryStorage()
  for (let client = 0; client < 10_000; client++) await storage.put('new-client', `c${client}`, {})
  mounted.restart({ storage })
  const answer = await register({ redirect_uris: [CALLBACK] })
  expect(answer.status).toBe(429)
  expect(answer.headers.get('retry-after')).toBe('3600')
})

test('nobody registers where it is switched off', async () => {
  mounted.restart({ enableDCR: false })
  expect((await register({ redirect_uris: [CALLBACK] })).status).toBe(404)
})
