import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { postModern } from '../../helpers/clients/mcp-requests.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { signInWithKey } from '../../helpers/daemon/local-sign-in.ts'
import { buildServer, createKey, deploy, echoServer } from './fixtures.ts'

let daemon: TestDaemon
let development: string

beforeAll(async () => {
  daemon = await startTestDaemon()
  const mcpId = await buildServer(daemon, echoServer('echo', { env: [{ name: 'API_KEY', required: false }] }))
  const { deployment_id, url } = await deploy(daemon, mcpId, 'development', {
    env_vars: { API_KEY: 'hunter2-secret' },
  })
  development = deployment_id
  await callTool(url, 'say', { text: 'hello' })
  await callTool(url, 'say', { text: 'the hunter2-secret' })
  await vi.waitFor(async () => expect(await calls(`deployment=${development}`)).toHaveLength(2))
})

afterAll(() => daemon.close())

const list = async (query: string) => (await daemon.api('GET', `/api/requests?${query}`)).body
const calls = async (query: string) => (await list(`method=tools/call&${query}`)).items
const replay = (id: string, body?: object) =>
  daemon.api('POST', `/api/requests/${id}/replay`, body && { body })

describe('replays', () => {
  const firstCall = async () => (await calls(`deployment=${development}&grep=You said hello`)).at(-1).id

  test('repeats a call and records it with the id of the original', async () => {
    const id = await firstCall()
    const { status, body } = await replay(id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      replayOf: id,
      environment: 'development',
      arguments: { text: 'hello' },
      outcome: 'ok',
      result: { content: [{ type: 'text', text: 'You said hello' }] },
      error: null,
    })
    await expect
      .poll(() => list(`server=echo&grep=${id}`))
      .toMatchObject({ items: [{ tool: 'say', replayOf: id }] })
  })

  test('repeats a call with other arguments and in another environment', async () => {
    const { body } = await replay(await firstCall(), { arguments: { text: 'bye' }, environment: 'preview' })
    expect(body).toMatchObject({ environment: 'preview', result: { content: [{ text: 'You said bye' }] } })
  })

  test('a replay that fails is a result instead of an error', async () => {
    const { status, body } = await replay(await firstCall(), { arguments: {} })
    expect([status, body.outcome]).toEqual([200, 'error'])
  })

  test('a replay of a call with redacted arguments requires new ones', async () => {
    const [{ id }] = await calls(`deployment=${development}&grep=redacted`)
    const { status, body } = await replay(id)
    expect([status, body.error.code]).toEqual([400, 'INVALID_REQUEST'])
    expect((await replay(id, { arguments: { text: 'a' } })).status).toBe(200)
  })

  test('only tool calls of a running server can be repeated', async () => {
    const [{ id }] = (await list(`deployment=${development}&method=initialize`)).items
    expect((await replay(id)).body.error.message).toMatch('not a tool call')
    expect((await replay(await firstCall(), { environment: 'staging' })).status).toBe(409)
  })

  test('a replay requires a key with the scope CHAT', async () => {
    const id = await firstCall()
    const { key } = await createKey(daemon, { scopes: ['READ'] })
    expect((await daemon.api('GET', `/api/requests/${id}`, { key })).status).toBe(200)
    expect((await daemon.api('POST', `/api/requests/${id}/replay`, { key })).status).toBe(403)
  })
})

describe('a protected server', () => {
  test('records callers and rejected requests, and a replay requires a token', async () => {
    const config = { auth: { provider: 'local' } }
    const mcpId = await buildServer(daemon, echoServer('guarded'))
    const { deployment_id, url } = await deploy(daemon, mcpId, 'production', config)
    const { body } = await daemon.api('GET', `/v1/deploy/${deployment_id}/status`)
    const { tokens } = await signInWithKey(body.data.sign_in.issuer, daemon.ownerKey)
    const send = (headers: Record<string, string>) =>
      postModern(url, 'tools/call', { name: 'say', arguments: { text: 'hi' } }, headers)
    expect((await send({})).status).toBe(401)
    expect((await send({ authorization: `Bearer ${tokens.access_token}` })).status).toBe(200)
    const recorded = async () => (await list(`deployment=${deployment_id}&tool=say`)).items
    await expect.poll(recorded).toMatchObject([
      { outcome: 'ok', caller: expect.stringMatching(/^local\|/) },
      { outcome: 'refused', status: 401, method: 'tools/call', reason: expect.stringContaining('token') },
    ])
    const [{ id, caller }] = await recorded()
    expect((await list(`server=guarded&caller=${encodeURIComponent(caller)}`)).items).toHaveLength(1)
    const given = { arguments: { text: 'again' } }
    expect((await replay(id, given)).body.error.message).toMatch('requires a valid token')
    const { body: replayed } = await replay(id, { ...given, token: tokens.access_token })
    expect(replayed.result).toMatchObject({ content: [{ text: 'You said again' }] })
  })
})
