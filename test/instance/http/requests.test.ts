import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
import { modern, modernHeaders, post, rpc, send } from '../../helpers/clients/mcp-requests.ts'
import {
  type InstanceAddress,
  type InstanceHarness,
  startInstance,
} from '../../helpers/instance/instance-harness.ts'
import { fixtureProgram } from '../../helpers/vitest/fixture-programs.ts'

let harness: InstanceHarness
let address: InstanceAddress

beforeAll(async () => {
  ;({ harness, address } = await startInstance(createArtifact(), { program: fixtureProgram('scripted') }))
})
afterAll(() => harness.stop())

const call = (text: unknown) => modern('tools/call', { name: 'echo', arguments: { text } })
const callHeaders = modernHeaders('tools/call', 'echo')

describe('HTTP requests', () => {
  test('GET /health returns the state, name and version of the server', async () => {
    const answer = await send(`${address.origin}/health`)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ status: 'ok', server: 'scripted', version: '1.2.3' })
    expect(answer.headers['cache-control']).toBe('no-store')
    expect((await send(`${address.origin}/health`, { method: 'HEAD' })).status).toBe(200)
    expect((await send(`${address.origin}/health`, { method: 'POST', body: '{}' })).status).toBe(405)
  })

  test('a browser gets a page that names the server and its tools, without scripts', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    for (const url of [address.url, `${address.origin}/`]) {
      const { status, headers, text } = await send(url, { headers: { accept } })
      expect(status).toBe(200)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect(text).toContain('<h1>scripted</h1>')
      expect(text).toContain(`&quot;url&quot;: &quot;${address.url}&quot;`)
      expect(text).toContain('<code>echo</code>')
    }
    const stream = await send(address.url, { headers: { accept: 'text/html, text/event-stream' } })
    expect(stream.status).not.toBe(200)
    expect((await send(`${address.origin}/other`, { headers: { accept } })).status).toBe(404)
  })

  test('unknown paths get 404 with the URL of the MCP endpoint', async () => {
    const answer = await post(`${address.origin}/.well-known/oauth-authorization-server`, {})
    expect(answer.status).toBe(404)
    expect(answer.json.error.code).toBe('NOT_FOUND')
    expect(answer.json.error.message).toContain(address.url)
  })

  test('the MCP endpoint accepts a query string', async () => {
    expect((await post(`${address.url}?a=b`, call('x'), callHeaders)).status).toBe(200)
  })

  test('requests with content types other than JSON get 415', async () => {
    for (const type of ['text/plain', 'application/jsonp', 'text/plain; a=application/json']) {
      const answer = await post(address.url, call('x'), { ...callHeaders, 'content-type': type })
      expect(answer.status).toBe(415)
      expect(answer.json.error.message).toContain('application/json')
    }
    const parameters = { 'content-type': 'Application/JSON; charset=utf-8' }
    expect((await post(address.url, call('x'), { ...callHeaders, ...parameters })).status).toBe(200)
  })

  test('clients that do not accept both JSON and event streams get 406', async () => {
    for (const accept of ['application/json', 'text/event-stream', 'text/html'])
      expect((await post(address.url, call('x'), { ...callHeaders, accept })).status).toBe(406)
    for (const accept of ['*/*', 'text/event-stream;q=0.5, application/*', 'application/json,text/*'])
      expect((await post(address.url, call('x'), { ...callHeaders, accept })).status).toBe(200)
  })

  test('a request with an unsupported method gets 405 with the allowed methods', async () => {
    const answer = await send(address.url, { method: 'PUT', body: '{}' })
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, POST, DELETE, OPTIONS'])
  })

  test.each([
    ['nothing', ''],
    ['half a message', '{"jsonrpc":"2.0",'],
    ['HTML', '<html>'],
    ['unlimited nesting', '['.repeat(100_000)],
    ['nesting above the limit', `${'['.repeat(300)}${']'.repeat(300)}`],
  ])('a body with %s gets a parse error', async (_name, body) => {
    const answer = await post(address.url, body)
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } })
  })

  test('brackets inside a JSON string do not count as nesting', async () => {
    const text = `${'['.repeat(1000)}\\"{`
    const answer = await post(address.url, call(text), callHeaders)
    expect(answer.json.result.content[0].text).toBe(text)
  })

  test.each([
    ['a number instead of an object', 1],
    ['null instead of an object', null],
    ['no members', {}],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['a null id', { jsonrpc: '2.0', id: null, method: 'ping' }],
    ['params in an array', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
    ['a method that is not a string', { jsonrpc: '2.0', id: 1, method: 1 }],
  ])('a message with %s gets an invalid request error', async (_name, body) => {
    const answer = await post(address.url, JSON.stringify(body))
    expect(answer.status).toBe(400)
    expect(answer.json.error.code).toBe(-32600)
  })

  test('the error for an invalid message repeats the id of the message', async () => {
    const answer = await post(address.url, { ...rpc('ping'), id: 'abc', params: 3 })
    expect(answer.json.id).toBe('abc')
  })

  test('a body above 4 MiB gets 413, with or without Content-Length, and its connection stays open', async () => {
    const large = call('x'.repeat(4 * 1024 * 1024))
    const answer = await post(address.url, large, callHeaders)
    expect([answer.status, answer.json.error.code]).toEqual([413, -32000])
    const text = JSON.stringify(large)
    const chunks = text.match(/.{1,65536}/g)!.map(chunk => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    const socket = connect(Number(new URL(address.url).port), '127.0.0.1')
    const head = `POST /mcp HTTP/1.1\r\nHost: ${new URL(address.url).host}\r\nContent-Type: application/json\r\n`
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`)
    socket.write('GET /health HTTP/1.1\r\nConnection: close\r\n')
    socket.write(`Host: ${new URL(address.url).host}\r\n\r\n`)
    let received = ''
    for await (const chunk of socket.setEncoding('utf8')) received += chunk
    expect(received).toMatch(/^HTTP\/1.1 413 /)
    expect(received).toContain('"status":"ok"')
  })

  test('a body just below 4 MiB is served', async () => {
    const text = 'ü'.repeat(2 * 1024 * 1024 - 1000)
    const answer = await post(address.url, call(text), callHeaders)
    expect(answer.json.result.content[0].text).toBe(text)
  })

  test('invalid HTTP gets 400 and a closed connection', async () => {
    const socket = connect(Number(new URL(address.url).port), '127.0.0.1')
    socket.write('nonsense\r\n\r\n')
    let received = ''
    for await (const chunk of socket.setEncoding('utf8')) received += chunk
    expect(received).toMatch(/^HTTP\/1.1 400 Bad Request\r\nContent-Type: application\/json/)
  })

  test('a request head above the limit gets 431', async () => {
    const answer = await post(address.url, call('x'), { ...callHeaders, 'x-large': 'a'.repeat(20_000) })
    expect(answer.status).toBe(431)
  })

  test('a client that disconnects during its request does not affect others', async () => {
    const socket = connect(Number(new URL(address.url).port), '127.0.0.1')
    socket.write(`POST /mcp HTTP/1.1\r\nHost: ${new URL(address.url).host}\r\nContent-Length: 100\r\n\r\n{`)
    await once(socket, 'connect')
    socket.resetAndDestroy()
    await once(socket, 'close')
    expect((await post(address.url, call('x'), callHeaders)).status).toBe(200)
  })
})
