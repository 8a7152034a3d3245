import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createArtifact } from '../../../fixtures/instance/artifact.ts'
import { beginSession, messagesOf, post, rpc, send } from '../../../helpers/clients/mcp-requests.ts'
import { type InstanceAddress, InstanceHarness } from '../../../helpers/instance/instance-harness.ts'
import { fixtureProgram } from '../../../helpers/vitest/fixture-programs.ts'

let harness: InstanceHarness
let address: InstanceAddress

beforeAll(async () => {
  harness = new InstanceHarness({ program: fixtureProgram('scripted') })
  address = await harness.serve(createArtifact())
})
afterAll(() => harness.stop())

const initialize = (protocolVersion: unknown) =>
  post(
    address.url,
    rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } }),
  )
const callText = async (headers: Record<string, string>, name: string, args = {}) =>
  (await post(address.url, rpc('tools/call', { name, arguments: args }), headers)).json.result.content[0].text

describe('initialize', () => {
  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'initialize negotiates the revision %s',
    async version => {
      const { status, headers, json } = await initialize(version)
      expect(status).toBe(200)
      expect(headers['mcp-session-id']).toMatch(/^[\x21-\x7e]{40,}$/)
      expect(json.result).toEqual({
        protocolVersion: version,
        capabilities: {
          tools: {},
          resources: { subscribe: true },
          prompts: {},
          completions: {},
          logging: {},
        },
        serverInfo: { name: 'scripted', version: '1.2.3' },
        instructions: 'Do as you are told.',
      })
    },
  )

  test.each(['1999-01-01', '2026-07-28', 7, undefined])(
    'negotiates the newest revision of the legacy era for %s',
    async version => {
      expect((await initialize(version)).json.result.protocolVersion).toBe('2025-11-25')
    },
  )

  test('initialize is rejected in a modern revision', async () => {
    const answer = await post(address.url, rpc('initialize', {}), { 'mcp-protocol-version': '2026-07-28' })
    expect([answer.status, answer.json.error.code]).toEqual([400, -32020])
  })
})

describe('a legacy session', () => {
  test('a legacy session is required: requests get 400 without its id and 404 with an unknown id', async () => {
    const missing = await post(address.url, rpc('tools/list'))
    expect([missing.status, missing.json.error.code]).toEqual([400, -32000])
    const session = await beginSession(address.url)
    const id = session['mcp-session-id']!
    for (const invented of [
      'abc',
      '',
      `${id}x`,
      id.replace(/.$/, '!'),
      id.split('.').slice(0, 3).join('.'),
    ]) {
      const answer = await post(address.url, rpc('tools/list'), { 'mcp-session-id': invented || '-' })
      expect([answer.status, answer.json.error.code]).toEqual([404, -32001])
    }
  })

  test('a request in a legacy session gets plain JSON', async () => {
    const session = await beginSession(address.url)
    const answer = await post(
      address.url,
      rpc('tools/call', { name: 'echo', arguments: { text: 'hi' } }, 'a'),
      session,
    )
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.json).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      result: { content: [{ type: 'text', text: 'hi' }] },
    })
    expect((await post(address.url, rpc('ping'), session)).json.result).toEqual({})
  })

  test('notifications and responses in a legacy session get 202 and no body', async () => {
    const session = await beginSession(address.url)
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } },
      { jsonrpc: '2.0', id: 5, result: {} },
      { jsonrpc: '2.0', id: 5, error: { code: 1, message: 'no' } },
    ]) {
      const answer = await post(address.url, message, session)
      expect([answer.status, answer.text]).toEqual([202, ''])
    }
  })

  test('a legacy session rejects an unsupported protocol version and works without the version header', async () => {
    const { 'mcp-session-id': id } = await beginSession(address.url)
    const headers = { 'mcp-session-id': id! }
    const refused = await post(address.url, rpc('ping'), { ...headers, 'mcp-protocol-version': '1999-01-01' })
    expect(refused.status).toBe(400)
    expect(refused.json.error.message).toContain('2025-11-25')
    expect((await post(address.url, rpc('ping'), headers)).status).toBe(200)
  })

  test('a legacy session ends with DELETE, after which all requests and a second DELETE get 404', async () => {
    const session = await beginSession(address.url)
    const end = () => send(address.url, { method: 'DELETE', headers: session })
    expect((await end()).status).toBe(200)
    expect((await post(address.url, rpc('ping'), session)).status).toBe(404)
    expect((await end()).status).toBe(404)
    expect((await send(address.url, { method: 'DELETE' })).status).toBe(400)
  })

  test('a legacy session is taken over by another instance of the deployment, but not by another deployment', async () => {
    const { stateKey } = address.tenant
    const sibling = await harness.serve(createArtifact(), { stateKey })
    const stranger = await harness.serve(createArtifact())
    const session = await beginSession(address.url, '2025-06-18')
    const { status, json } = await post(
      sibling.url,
      rpc('tools/call', { name: 'echo', arguments: { text: '1' } }),
      session,
    )
    expect([status, json.result.content[0].text]).toEqual([200, '1'])
    expect((await post(stranger.url, rpc('ping'), session)).status).toBe(404)
  })

  test('a legacy session has its own log level', async () => {
    const session = await beginSession(address.url)
    const lines = async () => {
      const answer = await post(address.url, rpc('tools/call', { name: 'in-steps' }), session)
      return messagesOf(answer.text).filter(event => event.json?.method === 'notifications/message').length
    }
    expect(await lines()).toBe(3)
    expect(
      (await post(address.url, rpc('logging/setLevel', { level: 'warning' }), session)).json.result,
    ).toEqual({})
    expect(await lines()).toBe(1)
    const refused = await post(address.url, rpc('logging/setLevel', { level: 'loud' }), session)
    expect(refused.json.error).toMatchObject({ code: -32602, message: expect.stringContaining('warning') })
  })

  test('a legacy session can subscribe to an existing resource', async () => {
    const session = await beginSession(address.url)
    for (const method of ['resources/subscribe', 'resources/unsubscribe'])
      expect((await post(address.url, rpc(method, { uri: 'test://one' }), session)).json.result).toEqual({})
    const missing = await post(address.url, rpc('resources/subscribe', { uri: 'test://two' }), session)
    expect(missing.json.error).toMatchObject({ code: -32002, data: { uri: 'test://two' } })
  })
})

describe('a legacy error', () => {
  test.each([
    ['an unknown method', rpc('tools/guess'), -32601],
    ['an unknown tool', rpc('tools/call', { name: 'nothing' }), -32602],
    ['a tool without a name', rpc('tools/call', {}), -32602],
    ['arguments that are not an object', rpc('tools/call', { name: 'echo', arguments: [1] }), -32602],
    ['an unknown resource', rpc('resources/read', { uri: 'test://two' }), -32002],
    ['an unknown prompt', rpc('prompts/get', { name: 'nothing' }), -32602],
    ['prompt arguments that are not strings', rpc('prompts/get', { name: 'x', arguments: { a: 1 } }), -32602],
    ['a completion without a reference', rpc('completion/complete', {}), -32602],
    ['a cursor that is not a string', rpc('tools/list', { cursor: 1 }), -32602],
    ['an invented cursor', rpc('tools/list', { cursor: 'x' }), -32602],
    ['a handler that throws', rpc('tools/call', { name: 'throw' }), -32603],
    ['a method from the other era', rpc('server/discover'), -32601],
  ])('a legacy session gets a JSON-RPC error for %s', async (_name, message, code) => {
    const session = await beginSession(address.url)
    const { status, json } = await post(address.url, message, session)
    expect([status, json.id, json.error.code]).toEqual([200, 1, code])
  })

  test('a legacy error contains no internal details', async () => {
    const session = await beginSession(address.url)
    const answer = await post(address.url, rpc('tools/call', { name: 'throw' }), session)
    expect(answer.text).not.toContain('secret')
    expect(await callText(session, 'echo', { text: 'still here' })).toBe('still here')
  })
})
