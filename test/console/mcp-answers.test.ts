import { afterEach, describe, expect, test, vi } from 'vitest'
import { loadCatalog } from '../../src/console/mcp/catalog.ts'
import { connect } from '../../src/console/mcp/connection.ts'
import { type Params, SignInRequiredError } from '../../src/console/mcp/messages.ts'
import {
  call,
  closeServers,
  connectModern,
  error,
  json,
  listen,
  result,
  signal,
  stream,
} from './hand-made-server.ts'

afterEach(closeServers)

describe('lists of a server', () => {
  test('lists contain the entries of all pages, each name once, and no entry without a name', async () => {
    const pages: Record<string, Params> = {
      undefined: { tools: [{ name: 'a', title: 'A' }, { name: 'a' }, null, { name: '' }], nextCursor: 'two' },
      two: { tools: [{ name: 'constructor' }, 'x'] },
    }
    const { connection } = await connectModern((message, _request, response) =>
      json(response, result(message, pages[String(message.params!.cursor)]!)),
    )
    const { entries, errors } = await loadCatalog(connection, signal())
    expect(entries.map(({ kind, id, title }) => [kind, id, title])).toEqual([
      ['tool', 'a', 'A'],
      ['tool', 'constructor', undefined],
    ])
    expect(errors).toEqual([])
  })

  test('lists end after 64 pages, and a failed list does not affect the others', async () => {
    let pages = 0
    const { path } = await listen((message, _request, response) => {
      const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {}, prompts: {} } }
      if (message.method === 'server/discover') json(response, result(message, discovered))
      else if (message.method === 'prompts/list') json(response, error(message, -32603, 'broken'))
      else json(response, result(message, { tools: [{ name: `t${++pages}` }], nextCursor: String(pages) }))
    })
    const connection = await connect({ path, token: undefined }, { signal: signal() })
    const { entries, errors } = await loadCatalog(connection, signal())
    expect([entries.length, pages]).toEqual([64, 64])
    expect(errors.map(({ message }) => message)).toEqual(['broken'])
  })
})

describe('a tool with a very deep schema', () => {
  test('a tool whose schema is nested too deeply has no form, and does not hide the others', async () => {
    const schema = `${'{"properties":'.repeat(1500)}{}${'}'.repeat(1500)}`
    const { connection } = await connectModern(({ id }, _request, response) => {
      const tools = `[{"name":"deep","inputSchema":${schema}},{"name":"flat","inputSchema":{"type":"object"}}]`
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"jsonrpc":"2.0","id":${id},"result":{"tools":${tools}}}`)
    })
    const { entries, errors } = await loadCatalog(connection, signal())
    expect(errors).toEqual([])
    expect(entries.map(({ id, source }) => [id, source.inputSchema])).toEqual([
      ['deep', { type: 'object', description: expect.stringContaining('nested deeper than 997 levels') }],
      ['flat', { type: 'object' }],
    ])
  })
})

describe('an invalid answer', () => {
  test.each([
    ['an array', '[]', 'invalid MCP message'],
    ['plain text', 'hello', 'invalid MCP message'],
    ['empty', '', 'connection broke'],
  ])('a call fails when the body is %s', async (_name, body, words) => {
    const { connection } = await connectModern((_message, _request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    )
    await expect(call(connection)).rejects.toThrow(words)
  })

  test('a call fails when the stream breaks or exceeds 32 MiB', async () => {
    const { connection } = await connectModern((message, _request, response) => {
      stream(response)
      if (message.params!.name === 'short')
        return void response.write(':\n\n', () => setTimeout(() => response.destroy(), 20))
      const flood = () => {
        while (response.write('x'.repeat(1 << 20)));
        response.once('drain', flood)
      }
      response.on('error', () => {})
      flood()
    })
    await expect(call(connection, { params: { name: 'short' } })).rejects.toThrow('connection broke')
    await expect(call(connection, { params: { name: 'long' } })).rejects.toThrow('larger than 33554432 bytes')
  })

  test('a server can require a token, and an API error keeps its code and message', async () => {
    const { path, sent } = await listen((message, request, response) => {
      if (request.headers.authorization === 'Bearer t')
        return json(response, result(message, { supportedVersions: ['2026-07-28'], capabilities: {} }))
      return json(response, error(message, -32001, 'Who are you?'), 401)
    })
    await expect(connect({ path, token: undefined }, { signal: signal() })).rejects.toBeInstanceOf(
      SignInRequiredError,
    )
    expect(await connect({ path, token: 't' }, { signal: signal() })).toMatchObject({ era: 'modern' })
    expect(sent).toHaveLength(2)
    const { path: stopped } = await listen((_message, _request, response) => {
      const refusal = { code: 'UNAVAILABLE', message: 'weather is not running.', details: '' }
      json(response, { success: false, error: refusal }, 503)
    })
    vi.stubGlobal('location', { origin: 'http://console.test' })
    await expect(connect({ path: stopped, token: undefined }, { signal: signal() })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'weather is not running.',
    })
    vi.unstubAllGlobals()
  })
})
