import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open, post, rpc, send } from '../../helpers/clients/mcp-requests.ts'
import { eventually } from '../../helpers/daemon/mcp.ts'
import { type ServedProgram, serveProgram } from '../../helpers/instance/programs.ts'
import { descendantsOf, isRunning } from '../../helpers/processes.ts'

const PROGRAM = fileURLToPath(new URL('../../fixtures/programs/http-server.mjs', import.meta.url))

let served: ServedProgram
beforeAll(async () => {
  served = await serveProgram({ type: 'http', args: [PROGRAM] }, { env: { API_TOKEN: 'secret-1' } })
})
afterAll(() => served?.close())

async function call(name: string, headers: Record<string, string> = {}) {
  const answer = await post(served.url, rpc('tools/call', { name }), headers)
  return JSON.parse(answer.json.result.content[0].text)
}

test('forwards headers in both directions, except for Host, X-Forwarded-* and hop-by-hop headers', async () => {
  const seen = await call('headers', {
    'mcp-session-id': 's1',
    'mcp-param-x': 'y',
    authorization: 'Bearer abc',
    connection: 'x-mine',
    'x-mine': '1',
    'x-forwarded-host': 'forged',
  })
  const { port, host } = new URL(served.url)
  expect(seen).toMatchObject({ 'mcp-session-id': 's1', 'mcp-param-x': 'y', authorization: 'Bearer abc' })
  expect(seen).toMatchObject({
    'x-forwarded-host': host,
    'x-forwarded-proto': 'http',
    'x-forwarded-for': '127.0.0.1',
  })
  expect(seen['x-mine']).toBeUndefined()
  expect(seen.host).toMatch(/^127\.0\.0\.1:\d+$/)
  expect(seen.host).not.toContain(port)
  const answer = await post(served.url, rpc('tools/list'))
  expect(answer.headers).toMatchObject({ 'mcp-session-id': 's1', 'set-cookie': ['a=1', 'b=2'] })
})

test('an HTTP program listens on $PORT and has only its own environment', async () => {
  const env = await call('env')
  expect(env).toMatchObject({ HOST: '127.0.0.1', API_TOKEN: 'secret-1', HOME: served.folder })
  const own = ['API_TOKEN', 'DATA_DIR', 'HOME', 'HOST', 'MEMORY_FILE_PATH', 'PATH', 'PORT', 'PWD', 'TMPDIR']
  // Without a sandbox, this marker identifies all processes that the program has started.
  own.push('MCP_HOSTING_PROGRAM')
  expect(Object.keys(env).sort()).toEqual(own.sort())
})

test('forwards every path except /health to the program', async () => {
  const { origin } = served.address
  expect((await post(`${served.url}?x=1`, rpc('tools/list'))).status).toBe(200)
  expect(await send(`${origin}/other`)).toMatchObject({ status: 404, text: 'nothing here' })
  expect((await send(`${origin}/health`)).json).toMatchObject({ status: 'ok' })
})

test('the log contains the path of a request without its query', async () => {
  await post(`${served.address.origin}/other?api_key=sk-1`, rpc('tools/list'))
  await eventually(() => served.log().some(({ message }) => message === 'POST /other'))
  expect(JSON.stringify(served.log())).not.toContain('sk-1')
})

test('streams in both directions, event by event', async () => {
  const outgoing = httpRequest(`${served.address.origin}/slow-stream`, { method: 'POST' })
  outgoing.write('\n')
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  const chunks = answer.setEncoding('utf8')[Symbol.asyncIterator]()
  const next = async () => String((await chunks.next()).value)
  expect(await next()).toContain('data: begun')
  for (const word of ['one', 'two']) {
    outgoing.write(`${word}\n`)
    let text = ''
    while (!text.includes(`data: ${word}`)) text += await next()
  }
  outgoing.end()
  await eventually(async () => (await chunks.next()).done)
})

test('forwards a body of 8 MB', async () => {
  const body = 'x'.repeat(8 * 1024 * 1024)
  const answer = await send(`${served.address.origin}/echo`, { body, method: 'POST' })
  expect(answer.text.length).toBe(body.length)
})

test('a client that disconnects aborts the request to the program', async () => {
  const gone = new AbortController()
  const asked = open(`${served.address.origin}/quiet`, { signal: gone.signal }).catch(() => 'gone')
  await eventually(() => served.log().length > 0)
  await call('who')
  gone.abort()
  expect(await asked).toBe('gone')
  await eventually(async () => (await call('ended')).includes('/quiet'))
})

test('an answer that the program truncates is truncated for the client', async () => {
  const answer = await open(`${served.address.origin}/cut`, {})
  await expect(async () => {
    for await (const _chunk of answer);
  }).rejects.toThrow('aborted')
})

test('output of the program is logged', async () => {
  await eventually(() =>
    served.log().some(({ stream, message }) => stream === 'stdout' && message === 'listening on 127.0.0.1'),
  )
})

test('after a crash, requests wait for the next process, and the pending request gets a JSON-RPC error', async () => {
  const before = await call('who')
  const answer = await post(served.url, rpc('tools/call', { name: 'exit' }))
  expect(answer.status).toBe(502)
  expect(answer.json).toMatchObject({ jsonrpc: '2.0', error: { code: -32000 } })
  expect(await call('who')).not.toBe(before)
})

test('if a program disconnects during a 10 MB body, the client gets an error and the next request is answered', async () => {
  const { origin } = served.address
  const body = 'x'.repeat(10 * 1024 * 1024)
  const answer = await send(`${origin}/drop`, { body, method: 'POST' })
  expect(answer.status).toBe(502)
  expect((await send(`${origin}/echo`, { body, method: 'POST' })).text.length).toBe(body.length)
})

test('an answer before the end of the request body reaches the client', async () => {
  const outgoing = httpRequest(`${served.address.origin}/early`, { method: 'POST' })
  outgoing.on('error', () => {}) // the program may refuse unread bytes
  outgoing.write('begun')
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(413)
  answer.resume()
  outgoing.destroy()
})

test('a client that disconnects while sending the body aborts the request to the program', async () => {
  const outgoing = httpRequest(`${served.address.origin}/slow-stream?broken`, { method: 'POST' })
  outgoing.on('error', () => {}) // the test destroyed it
  outgoing.write('one\n')
  await once(outgoing, 'response')
  outgoing.destroy()
  await eventually(async () => (await call('ended')).includes('/slow-stream?broken'))
})

test('a program stops with its instance', async () => {
  const other = await serveProgram({ type: 'http', args: [PROGRAM] })
  const started = descendantsOf(other.harness.pid)
  expect(started.length).toBeGreaterThanOrEqual(2)
  await other.close()
  await eventually(() => !started.some(isRunning))
})

test('reports a program that exits before it listens', async () => {
  const broken = serveProgram({
    type: 'http',
    command: 'sh',
    args: ['-c', 'echo "no port for me" >&2; exit 3'],
  })
  await expect(broken).rejects.toThrow('exited with code 3 before it listened on $PORT')
})
