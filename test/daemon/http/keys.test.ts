import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { createKey } from './fixtures.ts'

let daemon: TestDaemon
let now = new Date()

beforeAll(async () => {
  daemon = await startTestDaemon({ clock: () => now })
})

afterAll(() => daemon.close())

const info = (key: string) => daemon.api('GET', '/api/deployments/api-key/info', { key })

describe("the owner's key", () => {
  test("the owner's key is in the private credentials file and has every scope", async () => {
    const credentials = JSON.parse(readFileSync(daemon.home.credentials, 'utf8'))
    expect(credentials).toEqual({ contexts: { local: { apiKey: daemon.ownerKey } } })
    expect(statSync(daemon.home.credentials).mode & 0o777).toBe(0o600)
    const { body } = await info(daemon.ownerKey)
    expect(body).toMatchObject({
      name: 'owner',
      scopes: ['READ', 'BUILD_AND_DEPLOY', 'CHAT', 'ADMIN'],
      expiresAt: null,
      isExpired: false,
    })
  })

  test("the owner's key stays the same after a restart", async () => {
    const before = daemon.ownerKey
    await daemon.restart()
    expect(daemon.ownerKey).toBe(before)
  })

  test('a new owner key is created when the credentials are lost, and the lost key is revoked', async () => {
    const before = daemon.ownerKey
    rmSync(daemon.home.credentials)
    await daemon.restart()
    expect(daemon.ownerKey).not.toBe(before)
    expect((await info(before)).status).toBe(401)
    expect((await info(daemon.ownerKey)).status).toBe(200)
  })

  test("the owner's key is written next to the keys for other contexts", async () => {
    writeFileSync(daemon.home.credentials, JSON.stringify({ contexts: { cloud: { apiKey: 'theirs' } } }))
    await daemon.restart()
    const { contexts } = JSON.parse(readFileSync(daemon.home.credentials, 'utf8'))
    expect(contexts).toEqual({ cloud: { apiKey: 'theirs' }, local: { apiKey: daemon.ownerKey } })
  })

  test("the owner's key cannot be revoked", async () => {
    const { apiKeyId } = (await info(daemon.ownerKey)).body
    expect((await daemon.api('DELETE', `/api/keys/${apiKeyId}`)).status).toBe(409)
  })
})

describe('a key', () => {
  test('shows the secret of a key once and does not store it in the database', async () => {
    const { key, apiKeyId } = await createKey(daemon, { scopes: ['READ'] })
    expect(key).toMatch(/^mcp_sk_[A-Za-z0-9_-]{43}$/)
    const { body } = await daemon.api('GET', '/api/keys')
    expect(body.items.find((each: { apiKeyId: string }) => each.apiKeyId === apiKeyId)).not.toHaveProperty(
      'key',
    )
    for (const suffix of ['', '-wal'])
      expect(readFileSync(daemon.home.database + suffix).includes(key)).toBe(false)
  })

  test('shows the number of requests in the current hour without changing the ETag of the key', async () => {
    const { key, apiKeyId, rateLimit } = (
      await daemon.api('POST', '/api/keys', { body: { name: 'counted', scopes: ['READ'] } })
    ).body
    expect(rateLimit).toEqual({ limit: 100, used: 0, resetAt: null })
    const show = () => daemon.api('GET', `/api/keys/${apiKeyId}`)
    const { headers: before } = await show()
    for (let count = 0; count < 3; count++) await info(key)
    const used = { limit: 100, used: 3, resetAt: expect.any(String) }
    const { body, headers } = await show()
    expect([body.rateLimit, headers.etag]).toEqual([used, before.etag])
    const { items } = (await daemon.api('GET', '/api/keys')).body
    expect(items.find((one: { apiKeyId: string }) => one.apiKeyId === apiKeyId).rateLimit).toEqual(used)
    for (let count = 0; count < 100; count++) await info(key)
    expect((await show()).body.rateLimit).toEqual({ ...used, used: 100 })
  })

  test('a name in use returns 409, unless the request replaces the existing keys', async () => {
    const first = await createKey(daemon, { name: 'ci', scopes: ['READ'] })
    const second = await createKey(daemon, { scopes: ['READ'] })
    // Earlier versions accepted the same name twice.
    const database = new BetterSqlite3(daemon.home.database)
    database.prepare("UPDATE api_keys SET name = 'ci' WHERE id = ?").run(second.apiKeyId)
    database.close()
    const body = { name: 'ci', scopes: ['READ'] }
    const refused = await daemon.api('POST', '/api/keys', { body })
    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      { code: 'CONFLICT', message: expect.stringContaining(second.apiKeyId), details: expect.any(String) },
    ])
    const replaced = await daemon.api('POST', '/api/keys', { body: { ...body, replace: true } })
    const statuses = [first.key, second.key, replaced.body.key].map(async key => (await info(key)).status)
    expect(await Promise.all(statuses)).toEqual([401, 401, 200])
    const owner = { name: 'owner', scopes: ['READ'], replace: true }
    expect((await daemon.api('POST', '/api/keys', { body: owner })).status).toBe(409)
    expect((await info(daemon.ownerKey)).status).toBe(200)
  })

  test('a key reports its scopes, owner, last use and expiry', async () => {
    const expiresAt = new Date(now.getTime() + 60_000).toISOString()
    const { key, apiKeyId } = await createKey(daemon, { name: 'test', scopes: ['READ', 'CHAT'], expiresAt })
    const { body } = await info(key)
    expect(body).toEqual({
      apiKeyId,
      name: 'test',
      scopes: ['READ', 'CHAT'],
      userId: expect.stringMatching(/^usr_/),
      idpUid: expect.any(String),
      lastUsedAt: expect.any(String),
      expiresAt,
      isExpired: false,
    })
  })

  test('an expired key returns 401, except in a request for information about the key', async () => {
    const { key } = await createKey(daemon, {
      scopes: ['READ'],
      expiresAt: new Date(now.getTime() + 60_000).toISOString(),
    })
    now = new Date(now.getTime() + 120_000)
    const refused = await daemon.api('GET', '/v1/build', { key })
    expect(refused.status).toBe(401)
    expect(refused.body.error.message).toMatch(/expired at/)
    expect((await info(key)).body).toMatchObject({ isExpired: true })
  })

  test('a key cannot expire in the past', async () => {
    const body = { name: 'late', scopes: ['READ'], expiresAt: '2020-01-01T00:00:00.000Z' }
    const answer = await daemon.api('POST', '/api/keys', { body })
    expect(answer.status).toBe(400)
  })

  test('revoking a key removes its request counter', async () => {
    const { key, apiKeyId } = await createKey(daemon, { scopes: ['READ'] })
    await info(key)
    const database = new BetterSqlite3(daemon.home.database, { readonly: true })
    const counters = database.prepare('SELECT count(*) FROM rate_limits WHERE key = ?').pluck()
    expect(counters.get(apiKeyId)).toBe(1)
    await daemon.api('DELETE', `/api/keys/${apiKeyId}`)
    expect(counters.get(apiKeyId)).toBe(0)
    database.close()
  })

  test('a revoked key is rejected like an unknown one', async () => {
    const { key, apiKeyId } = await createKey(daemon, { scopes: ['READ'] })
    expect((await daemon.api('DELETE', `/api/keys/${apiKeyId}`)).status).toBe(204)
    expect((await daemon.api('GET', '/v1/build', { key })).status).toBe(401)
  })

  test('a key without ADMIN cannot create keys', async () => {
    const { key } = await createKey(daemon, { scopes: ['READ', 'BUILD_AND_DEPLOY', 'CHAT'] })
    const answer = await daemon.api('POST', '/api/keys', { key, body: { name: 'x', scopes: ['ADMIN'] } })
    expect(answer.status).toBe(403)
    expect((await daemon.api('GET', '/api/keys', { key })).status).toBe(403)
  })

  test('lists keys in pages, newest first', async () => {
    const first = await daemon.api('GET', '/api/keys?limit=2')
    expect(first.body.items).toHaveLength(2)
    const second = await daemon.api('GET', `/api/keys?limit=1000&nextToken=${first.body.nextToken}`)
    const all = [...first.body.items, ...second.body.items].map(each => each.createdAt)
    expect(all).toEqual(all.toSorted().reverse())
    expect(second.body.nextToken).toBeNull()
  })
})

describe('checking a key', () => {
  const check = async (key: string, method: string, path: string) =>
    (await daemon.api('POST', '/api/keys/check', { body: { key, method, path } })).body

  test('reports what a key may do, and why', async () => {
    const { key } = await createKey(daemon, { scopes: ['READ'] })
    expect(await check(key, 'get', '/v1/build/mcp_1?x=y')).toEqual({
      allowed: true,
      reason: 'The key has the scope READ.',
    })
    expect(await check(key, 'POST', '/v1/build')).toMatchObject({
      allowed: false,
      reason: expect.stringMatching(/BUILD_AND_DEPLOY/),
    })
    expect(await check('nonsense', 'GET', '/v1/build')).toMatchObject({
      allowed: false,
      reason: expect.stringMatching(/unknown/),
    })
    expect(await check(key, 'GET', '/v1/nothing')).toMatchObject({
      allowed: false,
      reason: 'There is no GET /v1/nothing.',
    })
    expect(await check('nonsense', 'GET', '/health')).toMatchObject({ allowed: true })
  })

  test('reports the scope that only some queries need', async () => {
    const { key: reader } = await createKey(daemon, { scopes: ['READ'] })
    const { key: builder } = await createKey(daemon, { scopes: ['READ', 'BUILD_AND_DEPLOY'] })
    const path = '/v1/build/mcp_1/image'
    expect(await check(reader, 'GET', path)).toMatchObject({ allowed: true })
    expect(await check(reader, 'GET', `${path}?base=local`)).toEqual({
      allowed: false,
      reason: 'GET /v1/build/{mcp_id}/image needs the scope BUILD_AND_DEPLOY, but the key has READ.',
    })
    expect(await check(builder, 'GET', `${path}?base=local`)).toEqual({
      allowed: true,
      reason: 'The key has the scope BUILD_AND_DEPLOY.',
    })
  })
})

describe('the rate limit', () => {
  test('allows a free key 100 requests per hour, then answers 429 with Retry-After', async () => {
    const { key } = await createKey(daemon, { scopes: ['READ'], plan: 'free' })
    for (let left = 99; left >= 0; left--) {
      const { status, headers } = await daemon.api('GET', '/v1/build?limit=1', { key })
      expect([status, headers['x-ratelimit-remaining']]).toEqual([200, String(left)])
    }
    const refused = await daemon.api('GET', '/v1/build?limit=1', { key })
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({ success: false, error: { code: 'RATE_LIMITED' } })
    expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '0' })
    const wait = Number(refused.headers['retry-after'])
    expect(wait).toBeGreaterThan(3500)
    expect(wait).toBeLessThanOrEqual(3600)

    await daemon.restart()
    expect((await daemon.api('GET', '/v1/build', { key })).status, 'after a restart').toBe(429)

    endWindows(daemon)
    const fresh = await daemon.api('GET', '/v1/build', { key })
    expect([fresh.status, fresh.headers['x-ratelimit-remaining']]).toEqual([200, '99'])
  })

  test('allows each key the number of requests in its plan', async () => {
    const { key } = await createKey(daemon, { scopes: ['READ'], plan: 'pro' })
    const { headers } = await daemon.api('GET', '/v1/build', { key })
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '999' })
  })
})

/** Ends all current rate-limit windows. */
function endWindows({ home }: TestDaemon): void {
  const database = new BetterSqlite3(home.database)
  database.prepare('UPDATE rate_limits SET expire = ?').run(Date.now() - 1)
  database.close()
}
