import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createArtifact } from '../../../fixtures/instance/artifact.ts'
import {
  beginSession,
  modern,
  modernHeaders,
  post,
  postModern,
  send,
} from '../../../helpers/clients/mcp-requests.ts'
import {
  type InstanceAddress,
  type InstanceHarness,
  startInstance,
} from '../../../helpers/instance/instance-harness.ts'
import { fixtureProgram } from '../../../helpers/vitest/fixture-programs.ts'

const META = 'io.modelcontextprotocol/'
const INFO = { [`${META}serverInfo`]: { name: 'scripted', version: '1.2.3' } }

let harness: InstanceHarness
let address: InstanceAddress

beforeAll(async () => {
  ;({ harness, address } = await startInstance(createArtifact(), { program: fixtureProgram('scripted') }))
})
afterAll(() => harness.stop())

describe('a modern request', () => {
  test('a modern request can discover the server without a handshake', async () => {
    const { status, headers, json } = await postModern(address.url, 'server/discover')
    expect([status, headers['mcp-session-id']]).toEqual([200, undefined])
    expect(json.result).toEqual({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
      instructions: 'Do as you are told.',
      ttlMs: 10_000,
      cacheScope: 'public',
      _meta: INFO,
    })
  })

  test('a modern request gets a complete result with the name of the server', async () => {
    const answer = await postModern(address.url, 'tools/call', { name: 'echo', arguments: { text: 'hi' } })
    expect(answer.json).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { resultType: 'complete', content: [{ type: 'text', text: 'hi' }], _meta: INFO },
    })
  })

  test.each([
    ['tools/list', {}, 'public'],
    ['prompts/list', {}, 'public'],
    ['resources/list', {}, 'public'],
    ['resources/templates/list', {}, 'public'],
    ['resources/read', { uri: 'test://one' }, 'private'],
  ])('%s returns how long its result can be cached', async (method, params, cacheScope) => {
    const { result } = (await postModern(address.url, method, params)).json
    expect(result).toMatchObject({ resultType: 'complete', cacheScope, ttlMs: expect.any(Number) })
  })

  test('a modern request needs no session and ignores a session id', async () => {
    const session = { 'mcp-session-id': 'whatever', 'last-event-id': '1-1' }
    expect((await postModern(address.url, 'tools/list', {}, session)).status).toBe(200)
  })

  test('a modern request passes its hosting context to handlers', async () => {
    const context = { user_id: 'u1', session_data: { a: 1 } }
    const body = modern('tools/call', { name: 'context' }, { 'mcp-hosting/context': context })
    const answer = await post(address.url, body, modernHeaders('tools/call', 'context'))
    expect(JSON.parse(answer.json.result.content[0].text)).toEqual(context)
  })

  test('a modern request with GET or DELETE gets 405', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await send(address.url, { method, headers: { 'mcp-protocol-version': '2026-07-28' } })
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST, OPTIONS'])
    }
  })

  test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'tasks/get',
    'no/such',
    'constructor',
  ])('a modern request for the method %s gets 404', async method => {
    const { status, json } = await postModern(address.url, method)
    expect([status, json.id, json.error.code]).toEqual([404, 1, -32601])
  })

  test('a modern request for a missing resource gets an error with its URI', async () => {
    const { status, json } = await postModern(address.url, 'resources/read', { uri: 'test://two' })
    expect([status, json.error.code, json.error.data]).toEqual([200, -32602, { uri: 'test://two' }])
  })

  test('the modern protocol rejects responses and batches, and accepts notifications', async () => {
    const headers = { 'mcp-protocol-version': '2026-07-28' }
    const response = await post(address.url, { jsonrpc: '2.0', id: 1, result: {} }, headers)
    expect([response.status, response.json.error.code]).toEqual([400, -32600])
    expect((await post(address.url, [modern('tools/list')], headers)).status).toBe(400)
    const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    expect((await post(address.url, notification, headers)).status).toBe(202)
  })
})

describe('the envelope of a modern request', () => {
  const version = `${META}protocolVersion`
  test.each([
    ['without _meta', {}, '_meta'],
    ['without a protocol version', { _meta: { [`${META}clientCapabilities`]: {} } }, version],
    [
      'with a version that is not a string',
      { _meta: { [version]: 1, [`${META}clientCapabilities`]: {} } },
      version,
    ],
    ['without client capabilities', { _meta: { [version]: '2026-07-28' } }, `${META}clientCapabilities`],
    [
      'with capabilities that are not an object',
      { _meta: { [version]: '2026-07-28', [`${META}clientCapabilities`]: [] } },
      `${META}clientCapabilities`,
    ],
    [
      'with empty client info',
      { _meta: { [version]: '2026-07-28', [`${META}clientCapabilities`]: {}, [`${META}clientInfo`]: {} } },
      `${META}clientInfo`,
    ],
    [
      'with an unknown log level',
      { _meta: { [version]: '2026-07-28', [`${META}clientCapabilities`]: {}, [`${META}logLevel`]: 'loud' } },
      `${META}logLevel`,
    ],
  ])(
    'the envelope of a modern request is rejected with the name of the field: %s',
    async (_name, params, field) => {
      const body = { jsonrpc: '2.0', id: 'e', method: 'server/discover', params }
      const { status, json } = await post(address.url, body, modernHeaders('server/discover'))
      expect([status, json.id, json.error.code]).toEqual([400, 'e', -32602])
      expect(json.error.message).toContain(`"${field}"`)
    },
  )

  test('the envelope of a modern request is rejected with the supported revisions when its revision is unknown', async () => {
    const body = modern('server/discover', {}, { [version]: '2030-01-01' })
    const headers = { ...modernHeaders('server/discover'), 'mcp-protocol-version': '2030-01-01' }
    const { status, json } = await post(address.url, body, headers)
    expect([status, json.error.code]).toEqual([400, -32022])
    expect(json.error.data).toEqual({ supported: ['2026-07-28'], requested: '2030-01-01' })
  })
})

describe('the headers of a modern request', () => {
  const call = modern('tools/call', { name: 'echo', arguments: { text: 'x' } })
  const headers = modernHeaders('tools/call', 'echo')
  const without = (name: string) =>
    Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name))
  const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

  test.each([
    ['another version', { ...headers, 'mcp-protocol-version': '2025-11-25' }],
    ['no version', without('mcp-protocol-version')],
    ['another method', { ...headers, 'mcp-method': 'prompts/get' }],
    ['an uppercase method', { ...headers, 'mcp-method': 'TOOLS/CALL' }],
    ['no method', without('mcp-method')],
    ['another name', { ...headers, 'mcp-name': 'other' }],
    ['no name', without('mcp-name')],
    ['invalid base64', { ...headers, 'mcp-name': '=?base64?ZWNobw?=' }],
    ['base64 of another name', { ...headers, 'mcp-name': encoded('other') }],
    ['base64 that is not text', { ...headers, 'mcp-name': '=?base64?/w==?=' }],
  ])('the headers of a modern request are rejected with %s', async (_name, wrong) => {
    const { status, json } = await post(address.url, call, wrong)
    expect([status, json.id, json.error.code]).toEqual([400, 1, -32020])
  })

  test('the headers of a modern request can have spaces around a value, any case in a name, and base64 for any value', async () => {
    for (const value of ['  echo  ', encoded('echo')])
      expect(
        (await post(address.url, call, { ...headers, 'MCP-NAME': value, 'mcp-name': value })).status,
      ).toBe(200)
  })

  const withParams = (args: Record<string, unknown>, params: Record<string, string>) =>
    post(address.url, modern('tools/call', { name: 'echo', arguments: args }), { ...headers, ...params })

  test.each([
    ['text', { region: 'eu' }, { 'mcp-param-region': 'eu' }],
    ['text as base64', { region: 'zürich' }, { 'mcp-param-region': encoded('zürich') }],
    ['a number in another notation', { count: 42 }, { 'mcp-param-count': '42.0' }],
    ['nothing for null', { region: null }, {}],
    ['nothing for an absent argument', {}, { 'mcp-param-region': 'ignored' }],
  ])('the headers of a modern request can repeat an argument: %s', async (_name, args, params) => {
    expect((await withParams(args, params)).status).toBe(200)
  })

  test.each([
    ['is missing', { region: 'eu' }, {}],
    ['has another value', { region: 'eu' }, { 'mcp-param-region': 'us' }],
    ['is invalid base64', { region: 'eu' }, { 'mcp-param-region': '=?base64?!?=' }],
    ['is another number', { count: 42 }, { 'mcp-param-count': '43' }],
    ['is not a decimal number', { count: 42 }, { 'mcp-param-count': '0x2a' }],
  ])(
    'the headers of a modern request are rejected when the header of an argument %s',
    async (_name, args, params) => {
      const { status, json } = await withParams(args, params)
      expect([status, json.error.code]).toEqual([400, -32020])
    },
  )
})

test('serves both eras at one URL at the same time', async () => {
  const session = await beginSession(address.url)
  const [legacy, now] = await Promise.all([
    post(address.url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, session),
    postModern(address.url, 'tools/list'),
  ])
  expect(legacy.json.result.tools).toEqual(now.json.result.tools)
  expect(legacy.json.result.resultType).toBeUndefined()
})
