import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
import { SCRIPTED } from '../../fixtures/instance/scripted.ts'
import { type InstanceAddress, type InstanceHarness, startInstance } from '../../helpers/instance-harness.ts'
import { modern, modernHeaders, post, rpc, send } from '../../helpers/mcp-requests.ts'

let harness: InstanceHarness
let address: InstanceAddress

beforeAll(async () => {
  ;({ harness, address } = await startInstance(createArtifact(), { program: SCRIPTED }))
})
afterAll(() => harness.stop())

const call = (text: unknown) => modern('tools/call', { name: 'echo', arguments: { text } })
const callHeaders = modernHeaders('tools/call', 'echo')

describe('a request', () => {
  test('to /health is answered with what the server is', async () => {
    const answer = await send(`${address.origin}/health`)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ status: 'ok', server: 'scripted', version: '1.2.3' })
    expect(answer.headers['cache-control']).toBe('no-store')
    expect((await send(`${address.origin}/health`, { method: 'HEAD' })).status).toBe(200)
    expect((await send(`${address.origin}/health`, { method: 'POST', body: '{}' })).status).toBe(405)
  })

  test('to any other path is 404 and names the endpoint', async () => {
    const answer = await post(`${address.origin}/.well-known/oauth-authorization-server`, {})
    expect(answer.status).toBe(404)
    expect(answer.json.error.code).toBe('NOT_FOUND')
    expect(answer.json.error.message).toContain(address.url)
  })

  test('may carry a query', async () => {
    expect((await post(`${address.url}?a=b`, call('x'), callHeaders)).status).toBe(200)
  })

  test('of another content type is 415', async () => {
    for (const type of ['text/plain', 'application/jsonp', 'text/plain; a=application/json']) {
      const answer = await post(address.url, call('x'), { ...callHeaders, 'content-type': type })
      expect(answer.status).toBe(415)
      expect(answer.json.error.message).toContain('application/json')
    }
    const parameters = { 'content-type': 'Application/JSON; charset=utf-8' }
    expect((await post(address.url, call('x'), { ...callHeaders, ...parameters })).status).toBe(200)
  })

  test('that does not take both kinds of answers is 406', async () => {
    for (const accept of ['application/json', 'text/event-stream', 'text/html'])
      expect((await post(address.url, call('x'), { ...callHeaders, accept })).status).toBe(406)
    for (const accept of ['*/*', 'text/event-stream;q=0.5, application/*', 'application/json,text/*'])
      expect((await post(address.url, call('x'), { ...callHeaders, accept })).status).toBe(200)
  })

  test('by another method is 405 and says which are allowed', async () => {
    const answer = await send(address.url, { method: 'PUT', body: '{}' })
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, POST, DELETE, OPTIONS'])
  })

  test.each([
    ['nothing', ''],
    ['half a message', '{"jsonrpc":"2.0",'],
    ['a page', '<html>'],
    ['levels without end', '['.repeat(100_000)],
    ['more levels than are walked', `${'['.repeat(300)}${']'.repeat(300)}`],
  ])('with %s for a body is a parse error', async (_name, body) => {
    const answer = await post(address.url, body)
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } })
  })

  test('may be deep where it is text', async () => {
    const text = `${'['.repeat(1000)}\\"{`
    const answer = await post(address.url, call(text), callHeaders)
    expect(answer.json.result.content[0].text).toBe(text)
  })

  test.each([
    ['a number', 1],
    ['null', null],
    ['an object', {}],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['a null id', { jsonrpc: '2.0', id: null, method: 'ping' }],
    ['params in an array', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
    ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 1 }],
  ])('with %s for a message is an invalid request', async (_name, body) => {
    const answer = await post(address.url, JSON.stringify(body))
    expect(answer.status).toBe(400)
    expect(answer.json.error.code).toBe(-32600)
  })

  test('repeats the id of a message that could be read', async () => {
    const answer = await post(address.url, { ...rpc('ping'), id: 'abc', params: 3 })
    expect(answer.json.id).toBe('abc')
  })

  test('larger than 4 MiB is 413, announced or not, and its connection goes on', async () => {
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

  test('just below 4 MiB is served', async () => {
    const text = 'ü'.repeat(2 * 1024 * 1024 - 1000)
    const answer = await post(address.url, call(text), callHeaders)
    expect(answer.json.result.content[0].text).toBe(text)
  })

  test('that is not HTTP is answered with a 400 and closed', async () => {
    const socket = connect(Number(new URL(address.url).port), '127.0.0.1')
    socket.write('nonsense\r\n\r\n')
    let received = ''
    for await (const chunk of socket.setEncoding('utf8')) received += chunk
    expect(received).toMatch(/^HTTP\/1.1 400 Bad Request\r\nContent-Type: application\/json/)
  })

  test('with more head than fits is 431', async () => {
    const answer = await post(address.url, call('x'), { ...callHeaders, 'x-large': 'a'.repeat(20_000) })
    expect(answer.status).toBe(431)
  })

  test('that goes away in the middle harms nobody', async () => {
    const socket = connect(Number(new URL(address.url).port), '127.0.0.1')
    socket.write(`POST /mcp HTTP/1.1\r\nHost: ${new URL(address.url).host}\r\nContent-Length: 100\r\n\r\n{`)
    await once(socket, 'connect')
    socket.resetAndDestroy()
    await once(socket, 'close')
    expect((await post(address.url, call('x'), callHeaders)).status).toBe(200)
  })
})
