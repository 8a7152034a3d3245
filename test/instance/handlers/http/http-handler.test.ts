import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createHttpHandler } from '../../../../src/instance/handlers/http/http-handler.ts'
import { createGuardedAgent } from '../../../../src/instance/handlers/http/http-send.ts'
import { loadLiquid } from '../../../../src/instance/handlers/load.ts'
import type { ClientContext } from '../../../../src/instance/server/client-context.ts'
import type { HttpHandler, ToolDefinition } from '../../../../src/shared/definitions/definitions.ts'
import { httpHandlerSchema } from '../../../../src/shared/definitions/handlers.ts'
import { callTool, createCall, textOf } from '../../../helpers/instance/prepared.ts'

interface Received {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

type Respond = (request: Received, response: ServerResponse) => void

let api: Server
let base = ''
let respond: Respond
let received: Received[] = []

beforeAll(async () => {
  api = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url = '', headers } = request
    received.push({ method, url, headers, body })
    respond(received.at(-1)!, response)
  })
  api.listen(0, '127.0.0.1')
  await once(api, 'listening')
  base = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
})

afterEach(() => {
  received = []
})

afterAll(() => {
  api.closeAllConnections()
  api.close()
})

const json =
  (value: unknown, status = 200): Respond =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }

interface Call {
  tool?: Partial<ToolDefinition>
  env?: Record<string, string>
  call?: ClientContext
  allowPrivateNetwork?: boolean
}

function callApi(handler: object, args: Record<string, unknown> = {}, options: Call = {}) {
  const { env = {}, call, tool, allowPrivateNetwork = true } = options
  const all = { API: base, ...env }
  return callTool({ handler: define(handler), ...tool }, args, {
    artifact: { env: Object.keys(all).map(name => ({ name, required: true })) },
    tenant: { env: all, allowPrivateNetwork },
    ...(call && { call }),
  })
}

function define(handler: object): HttpHandler {
  return httpHandlerSchema.parse({ type: 'http', url: '{{ env.API }}/', ...handler })
}

test('renders method, URL, query, headers and body from templates', async () => {
  respond = json({ ok: true })
  const result = await callApi(
    {
      method: 'POST',
      url: '{{ env.API }}/items/{{ id | url_encode }}?fixed=1',
      query: { q: '{{ q }}', none: '{{ none }}' },
      headers: { 'X-Id': '{{ id }}', 'X-None': '{{ none }}', Authorization: 'Bearer {{ env.TOKEN }}' },
      body: { id: '{{ id }}', count: '{{ count }}', none: '{{ none }}', nested: ['{{ q }}'] },
    },
    { id: 'a/b', q: 'x & y', count: 2 },
    { env: { TOKEN: 'token-1' } },
  )
  expect(textOf(result)).toBe('{"ok":true}')
  const [request] = received
  expect(request).toMatchObject({ method: 'POST', url: '/items/a%2Fb?fixed=1&q=x+%26+y' })
  expect(request!.headers).toMatchObject({
    'x-id': 'a/b',
    authorization: 'Bearer token-1',
    'content-type': 'application/json',
  })
  expect(request!.headers).not.toHaveProperty('x-none')
  expect(JSON.parse(request!.body)).toEqual({ id: 'a/b', count: 2, nested: ['x & y'] })
})

test('sends a text body as rendered, with the declared content type', async () => {
  respond = json(1)
  const form = {
    method: 'POST',
    body: 'a={{ a | url_encode }}&',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  }
  await callApi(form, { a: 'x y' })
  expect(received[0]).toMatchObject({ body: 'a=x+y&' })
  expect(received[0]!.headers['content-type']).toBe('application/x-www-form-urlencoded')
})

test('result templates can read status, headers and body of the response', async () => {
  respond = (_request, response) =>
    response
      .writeHead(201, { 'Content-Type': 'application/json', 'X-Rate': '9' })
      .end('{"items":[{"id":1},{"id":2}]}')
  const text =
    '{{ response.status }} {{ response.headers.x-rate }} {{ response.body.items | map: "id" | join: "," }} {{ who }}'
  expect(textOf(await callApi({ result: { text } }, { who: 'me' }))).toBe('201 9 1,2 me')
})

test('checks a JSON response against the output schema', async () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  respond = json({ n: 1, more: 2 })
  expect(await callApi({}, {}, { tool: { outputSchema } })).toMatchObject({
    structuredContent: { n: 1, more: 2 },
  })
  respond = json({ n: 'x' })
  expect(textOf(await callApi({}, {}, { tool: { outputSchema } }))).toMatch(/"n" must be integer/)
})

test('returns an image as image content', async () => {
  respond = (_request, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([1, 2]))
  expect((await callApi({})).content).toEqual([{ type: 'image', data: 'AQI=', mimeType: 'image/png' }])
})

test('decodes text in other character sets', async () => {
  respond = (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' }).end(Buffer.from([0xe9]))
  expect(textOf(await callApi({}))).toBe('é')
})

test.each([
  ['is invalid', '{oops'],
  ['is nested too deeply', `{"a":${'['.repeat(3000)}${']'.repeat(3000)}}`],
])('reports JSON that %s as a tool error', async (_what, body) => {
  respond = (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  const result = await callApi({})
  expect(result.isError).toBe(true)
  expect(textOf(result)).toMatch(/it is invalid or nested too deeply/)
})

test('reports another status as a tool error with the status and the start of the body', async () => {
  respond = (_request, response) => response.writeHead(404).end(`no such item ${'x'.repeat(5000)}`)
  const result = await callApi({})
  expect(result.isError).toBe(true)
  expect(textOf(result)).toMatch(
    /^tool failed: GET 127\.0\.0\.1:\d+ answered 404 Not Found: no such item xxx/,
  )
  expect(textOf(result).length).toBeLessThan(700)
})

test('hides environment values in errors, even if the API repeats them', async () => {
  respond = ({ headers, url }, response) =>
    response.writeHead(400).end(`bad ${headers.authorization} at ${url}`)
  const result = await callApi(
    { url: '{{ env.API }}/?key={{ env.TOKEN }}', headers: { Authorization: 'Bearer {{ env.TOKEN }}' } },
    {},
    { env: { TOKEN: 'very-secret-token' } },
  )
  expect(received[0]!.headers.authorization).toBe('Bearer very-secret-token')
  expect(textOf(result)).toContain('400')
  expect(JSON.stringify(result)).not.toContain('very-secret')
})

test('aborts the transfer of a response that is too large', async () => {
  respond = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const more = (): void => {
      if (!response.destroyed) response.write('x'.repeat(1000), () => setImmediate(more))
    }
    more()
  }
  const result = await callApi({ maxResponseBytes: 10_000 })
  expect(textOf(result)).toMatch(/larger than maxResponseBytes \(10000 bytes\)/)
})

test('unpacks a compressed response within the same size limit', async () => {
  respond = (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(50_000)))
  expect(textOf(await callApi({}))).toHaveLength(50_000)
  expect(textOf(await callApi({ maxResponseBytes: 10_000 }))).toMatch(/larger than maxResponseBytes/)
})

test('reports a timeout as a tool error', async () => {
  respond = () => {}
  expect(textOf(await callApi({ timeoutMs: 50 }))).toMatch(/did not answer within 50 ms/)
})

test('reports a truncated response as a tool error', async () => {
  respond = (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
  }
  expect(textOf(await callApi({ timeoutMs: 100, retries: 0 }))).toMatch(/did not answer within 100 ms/)
})

test('aborts the request when the call is cancelled', async () => {
  const controller = new AbortController()
  const closed = new Promise<void>(resolve => {
    respond = (_request, response) => {
      response.on('close', resolve)
      controller.abort()
    }
  })
  const result = await callApi({}, {}, { call: createCall({ signal: controller.signal }) })
  await closed
  expect(result.isError).toBe(true)
  expect(received).toHaveLength(1)
})

test('retries idempotent requests on 429, 502, 503, 504 and connection errors', async () => {
  const statuses = [429, 503, 502, 504, 0]
  respond = (_request, response) => {
    const status = statuses.shift()
    if (status === 0) response.socket?.destroy()
    else if (status === undefined) json('at last')(received[0]!, response)
    else response.writeHead(status, { 'retry-after': '0' }).end()
  }
  expect(textOf(await callApi({ method: 'PUT', retries: 5 }))).toBe('"at last"')
  expect(received).toHaveLength(6)
})

test('retries at most as often as configured, then reports the last response', async () => {
  respond = (_request, response) => response.writeHead(503, { 'retry-after': '0' }).end('busy')
  expect(textOf(await callApi({ retries: 1 }))).toMatch(/answered 503 Service Unavailable: busy/)
  expect(received).toHaveLength(2)
})

test('does not wait longer than the remaining time', async () => {
  respond = (_request, response) => response.writeHead(429, { 'retry-after': '3600' }).end('slow down')
  expect(textOf(await callApi({ timeoutMs: 5000 }))).toMatch(/answered 429 Too Many Requests: slow down/)
  expect(received).toHaveLength(1)
})

test('sends a non-idempotent request only once', async () => {
  respond = (_request, response) => response.writeHead(503).end()
  expect((await callApi({ method: 'POST', body: {} })).isError).toBe(true)
  expect(received).toHaveLength(1)
})

test('follows redirects within the host, but not to another host', async () => {
  respond = ({ url }, response) => {
    if (url === '/') response.writeHead(302, { location: '/there' }).end()
    else if (url === '/away') response.writeHead(302, { location: 'http://other.invalid/' }).end()
    else json('there')(received[0]!, response)
  }
  expect(textOf(await callApi({ headers: { 'X-Key': 'k' } }))).toBe('"there"')
  expect(received.map(({ headers }) => headers['x-key'])).toEqual(['k', 'k'])
  expect(textOf(await callApi({ url: '{{ env.API }}/away' }))).toMatch(
    /redirects to another host \(other\.invalid\)/,
  )
})

test('gives up after too many redirects', async () => {
  respond = (_request, response) => response.writeHead(302, { location: '/' }).end()
  expect(textOf(await callApi({}))).toMatch(/redirected more than 5 times/)
})

test('rejects line breaks in headers', async () => {
  respond = json(1)
  const result = await callApi({ headers: { 'X-Id': '{{ id }}' } }, { id: 'a\r\nX-Admin: 1' })
  expect(textOf(result)).toMatch(/header "X-Id"/)
  expect(received).toHaveLength(0)
})

test('arguments can neither leave the path nor change the host', async () => {
  respond = json(1)
  expect(textOf(await callApi({ url: '{{ env.API }}/items/{{ id }}' }, { id: '../admin' }))).toMatch(
    /outside the path/,
  )
  expect(textOf(await callApi({ url: '{{ env.API }}{{ path }}' }, { path: '@other.invalid/' }))).toMatch(
    /would change the host of the request/,
  )
  expect(received).toHaveLength(0)
})

test('rejects private addresses unless the server may reach private networks', async () => {
  for (const url of [
    base,
    base.replace('127.0.0.1', 'localhost'),
    base.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
  ]) {
    const result = await callApi({ url, retries: 0 }, {}, { allowPrivateNetwork: false })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(/private network/)
  }
  expect(received).toHaveLength(0)
})

test('rejects a name that resolves to a private address when it connects', async () => {
  const { port } = new URL(base)
  const answers = [
    [{ address: '127.0.0.1', family: 4 }],
    [
      { address: '192.0.2.1', family: 4 },
      { address: '::1', family: 6 },
    ],
  ]
  const asked: string[] = []
  const agent = createGuardedAgent((hostname, _options, callback) => {
    asked.push(hostname)
    callback(null, answers.shift()!)
  })
  const definition = define({ url: `http://rebind.example:${port}/`, retries: 0 })
  const handler = createHttpHandler(definition, { allowPrivateNetwork: false }, await loadLiquid(), agent)
  const scope = { args: {}, data: null, env: {}, context: {} }
  for (let attempt = 0; attempt < 2; attempt++)
    await expect(handler(scope, createCall())).rejects.toThrow(
      /rebind\.example was refused: it leads to a private network/,
    )
  expect(asked).toEqual(['rebind.example', 'rebind.example'])
  expect(received).toHaveLength(0)
  await agent.close()
})
