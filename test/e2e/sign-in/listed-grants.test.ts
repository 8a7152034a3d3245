import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SignInClient, SignInGrant } from '../../../src/shared/contract/access/sign-ins.ts'
import { buildServer, createKey, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { beginSession, post, rpc } from '../../helpers/clients/mcp-requests.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { type LocalSignIn, signInWithKey } from '../../helpers/daemon/local-sign-in.ts'
import { refresh, type Tokens } from '../../sdk/oauth/support/flow.ts'

const CONFIG = {
  auth: { provider: 'local', token_ttl: 600 },
  scaling: { min_instances: 2, max_instances: 2 },
}

let daemon: TestDaemon
let url: string
let issuer: string
beforeAll(async () => {
  daemon = await startTestDaemon()
  const deployed = await deploy(
    daemon,
    await buildServer(daemon, echoServer('granted')),
    'production',
    CONFIG,
  )
  url = deployed.url
  const { body } = await daemon.api('GET', `/v1/deploy/${deployed.deployment_id}/status`)
  issuer = body.data.sign_in.issuer
})
afterAll(() => daemon.close())

const signIn = () => signInWithKey(issuer, daemon.ownerKey)
const grants = async (query = ''): Promise<SignInGrant[]> =>
  (await daemon.api('GET', `/api/servers/granted/grants${query}`)).body.items
const clients = async (query = ''): Promise<SignInClient[]> =>
  (await daemon.api('GET', `/api/servers/granted/clients${query}`)).body.items
const grantOf = async ({ client_id }: LocalSignIn) => (await grants(`?clientId=${client_id}`))[0]!
const revoke = async (id: string) => (await daemon.api('DELETE', `/api/servers/granted/grants/${id}`)).status

/** Sends requests over new connections, which reach both instances. Returns the distinct statuses. */
async function statuses({ access_token }: Tokens): Promise<number[]> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const headers = { authorization: `Bearer ${access_token}` }
  const asked = Array.from({ length: 4 }, () => post(url, rpc('initialize', params), headers))
  return [...new Set((await Promise.all(asked)).map(({ status }) => status))]
}

const refreshed = async ({ client_id, tokens }: LocalSignIn) => {
  const answer = await refresh(`${issuer}/oauth`, tokens.refresh_token!, { client_id })
  return { status: answer.status, tokens: (await answer.json()) as Tokens }
}

test('a sign-in is listed as a client with a grant, without its tokens', async () => {
  const signedIn = await signIn()
  const [grant] = await grants()
  expect(grant).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    environment: 'production',
    clientId: signedIn.client_id,
    clientName: null,
    subject: expect.stringMatching(/^local\|usr_/),
    provider: 'local',
    scopes: ['openid', 'profile', 'email'],
    issuedAt: expect.any(String),
    lastRefreshedAt: null,
    expiresAt: expect.any(String),
  })
  const days = (Date.parse(grant!.expiresAt) - Date.parse(grant!.issuedAt)) / 86_400_000
  expect(Math.round(days)).toBe(30)
  expect(await clients()).toEqual([
    {
      id: signedIn.client_id,
      environment: 'production',
      kind: 'registered',
      name: null,
      uri: null,
      redirectHosts: ['127.0.0.1'],
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
      grants: 1,
    },
  ])
  await refreshed(signedIn)
  expect((await grantOf(signedIn)).lastRefreshedAt).toEqual(expect.any(String))
})

test('after a grant is revoked, every instance rejects its access token and the refresh token is rejected', async () => {
  const [gone, stays] = [await signIn(), await signIn()]
  expect([await statuses(gone.tokens), await statuses(stays.tokens)]).toEqual([[200], [200]])
  const { id, subject } = await grantOf(gone)
  expect(await revoke(id)).toBe(204)
  await expect.poll(() => statuses(gone.tokens)).toEqual([401])
  expect((await refreshed(gone)).status).toBe(400)
  expect([await statuses(stays.tokens), (await refreshed(stays)).status]).toEqual([[200], 200])
  expect(await grantOf(gone)).toBeUndefined()
  expect(await revoke(id)).toBe(404)
  expect(daemon.errors.at(-1)).toEqual({
    message: 'revoked a sign-in grant',
    fields: {
      server: 'granted',
      environment: 'production',
      grant: id,
      clientId: gone.client_id,
      subject,
      by: 'owner',
    },
  })
})

test('removing a client revokes its grants, and the client must register again', async () => {
  const [gone, stays] = [await signIn(), await signIn()]
  const removed = await daemon.api('DELETE', `/api/servers/granted/clients/${gone.client_id}`)
  expect([removed.status, removed.body]).toEqual([200, { revokedGrants: 1 }])
  await expect.poll(() => statuses(gone.tokens)).toEqual([401])
  expect((await refreshed(gone)).status).toBe(401)
  expect(await statuses(stays.tokens)).toEqual([200])
  expect((await clients()).map(({ id }) => id)).not.toContain(gone.client_id)
  expect((await daemon.api('DELETE', `/api/servers/granted/clients/${gone.client_id}`)).status).toBe(404)
})

test('a revocation also applies to instances that start later, and works while the server is stopped', async () => {
  const [before, asleep] = [await signIn(), await signIn()]
  const [first, second] = [await grantOf(before), await grantOf(asleep)]
  await revoke(first.id)
  const { body } = await daemon.api('GET', '/v1/deploy?name=granted')
  const { deployment_id } = body.data.items[0]
  await daemon.api('POST', `/v1/deploy/${deployment_id}/stop`)
  expect(await revoke(second.id)).toBe(204)
  await daemon.restart({ port: daemon.daemon.port })
  await daemon.api('POST', `/v1/deploy/${deployment_id}/start`)
  for (const { tokens } of [before, asleep]) expect(await statuses(tokens)).toEqual([401])
})

test('a client identified by a metadata document is listed and removed by its URL', async () => {
  const { client_id: template } = await signIn()
  const id = 'https://app.example.com/client.json?v=1'
  const { default: BetterSqlite3 } = await import('better-sqlite3')
  const database = new BetterSqlite3(daemon.home.database)
  // A real document must have a public address, so this changes the record instead.
  database
    .prepare(
      "UPDATE oauth_records SET value = json_set(value, '$.clientId', ?) WHERE kind = ? AND value LIKE ?",
    )
    .run(id, 'granted/production grant', `%${template}%`)
  database.close()
  const listed = (await clients()).find(client => client.id === id)
  expect(listed).toMatchObject({ kind: 'metadata-document', name: null, redirectHosts: [], grants: 1 })
  const answer = await daemon.api('DELETE', `/api/servers/granted/clients/${encodeURIComponent(id)}`)
  expect(answer.body).toEqual({ revokedGrants: 1 })
})

test('pages of grants and clients return each record once', async () => {
  for (const list of ['grants', 'clients']) {
    const seen: string[] = []
    for (let token: string | null = ''; token !== null; ) {
      const path = `/api/servers/granted/${list}?limit=2${token && `&nextToken=${token}`}`
      const { body } = await daemon.api('GET', path)
      seen.push(...body.items.map(({ id }: { id: string }) => id))
      token = body.nextToken
    }
    const all = (await daemon.api('GET', `/api/servers/granted/${list}`)).body.items
    expect(seen).toEqual(all.map(({ id }: { id: string }) => id))
    expect(seen.length).toBeGreaterThan(2)
  }
})

test('grants can be filtered by user and environment', async () => {
  const [{ subject }] = (await grants()) as [SignInGrant]
  expect((await grants(`?subject=${encodeURIComponent(subject)}`)).length).toBeGreaterThan(1)
  expect(await grants('?subject=local|nobody')).toEqual([])
  expect(await grants('?environment=staging')).toEqual([])
})

test('a server without sign-in has no grants, and a request for an unknown server gets 404', async () => {
  const open = await deploy(daemon, await buildServer(daemon, echoServer('open')), 'staging')
  await beginSession(open.url)
  const { body } = await daemon.api('GET', '/api/servers/open/grants')
  expect(body).toEqual({ items: [], nextToken: null })
  expect((await daemon.api('GET', '/api/servers/nothing/grants')).status).toBe(404)
  expect((await daemon.api('GET', '/api/servers/nothing/clients')).status).toBe(404)
})

test('a key that may only read can list grants and clients but not revoke or remove them', async () => {
  const { key } = await createKey(daemon, { scopes: ['READ'] })
  const [{ id }] = (await grants()) as [SignInGrant]
  for (const [method, path, status] of [
    ['GET', 'grants', 200],
    ['GET', 'clients', 200],
    ['DELETE', `grants/${id}`, 403],
    ['DELETE', 'clients/some', 403],
  ] as const)
    expect((await daemon.api(method, `/api/servers/granted/${path}`, { key })).status, path).toBe(status)
})
