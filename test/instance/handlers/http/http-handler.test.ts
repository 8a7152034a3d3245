import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createHttpHandler } from '../../../../src/instance/handlers/http/http-handler.ts'
import { createGuardedAgent } from '../../../../src/instance/handlers/http/http-send.ts'
import { loadLiquid } from '../../../../src/instance/handlers/load.ts'
import { createCall, textOf } from '../../../helpers/instance/prepared.ts'
import { CalledApi, define, json } from './called-api.ts'

const api = new CalledApi()

beforeAll(() => api.start())
afterEach(() => api.forget())
afterAll(() => api.close())

test('renders URL, query, headers and body from templates', async () => {
  api.respond = json({ ok: true })
  const result = await api.call(
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
  const [request] = api.received
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
  api.respond = json(1)
  const form = {
    method: 'POST',
    body: 'a={{ a | url_encode }}&',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  }
  await api.call(form, { a: 'x y' })
  expect(api.received[0]).toMatchObject({ body: 'a=x+y&' })
  expect(api.received[0]!.headers['content-type']).toBe('application/x-www-form-urlencoded')
})

test('result templates can read status, headers and body of the response', async () => {
  api.respond = (_request, response) =>
    response
      .writeHead(201, { 'Content-Type': 'application/json', 'X-Rate': '9' })
      .end('{"items":[{"id":1},{"id":2}]}')
  const text =
    '{{ response.status }} {{ response.headers.x-rate }} {{ response.body.items | map: "id" | join: "," }} {{ who }}'
  expect(textOf(await api.call({ result: { text } }, { who: 'me' }))).toBe('201 9 1,2 me')
})

test('checks a JSON response against the output schema', async () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  api.respond = json({ n: 1, more: 2 })
  expect(await api.call({}, {}, { tool: { outputSchema } })).toMatchObject({
    structuredContent: { n: 1, more: 2 },
  })
  api.respond = json({ n: 'x' })
  expect(textOf(await api.call({}, {}, { tool: { outputSchema } }))).toMatch(/"n" must be an integer/)
})

test('an HTTP handler returns an image as image content', async () => {
  api.respond = (_request, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([1, 2]))
  expect((await api.call({})).content).toEqual([{ type: 'image', data: 'AQI=', mimeType: 'image/png' }])
})

test('an HTTP handler decodes text in other character sets', async () => {
  api.respond = (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' }).end(Buffer.from([0xe9]))
  expect(textOf(await api.call({}))).toBe('é')
})

test.each([
  ['is invalid', '{oops'],
  ['is nested too deeply', `{"a":${'['.repeat(3000)}${']'.repeat(3000)}}`],
])('reports JSON that %s as a tool error', async (_what, body) => {
  api.respond = (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  const result = await api.call({})
  expect(result.isError).toBe(true)
  expect(textOf(result)).toMatch(/it is invalid or nested too deeply/)
})

test('reports an error status as a tool error with the status and the start of the body', async () => {
  api.respond = (_request, response) => response.writeHead(404).end(`no such item ${'x'.repeat(5000)}`)
  const result = await api.call({})
  expect(result.isError).toBe(true)
  expect(textOf(result)).toMatch(
    /^tool failed: GET 127\.0\.0\.1:\d+ answered 404 Not Found: no such item xxx/,
  )
  expect(textOf(result).length).toBeLessThan(700)
})

test('hides environment values in errors, even if the API repeats them', async () => {
  api.respond = ({ headers, url }, response) =>
    response.writeHead(400).end(`bad ${headers.authorization} at ${url}`)
  const result = await api.call(
    { url: '{{ env.API }}/?key={{ env.TOKEN }}', headers: { Authorization: 'Bearer {{ env.TOKEN }}' } },
    {},
    { env: { TOKEN: 'very-secret-token' } },
  )
  expect(api.received[0]!.headers.authorization).toBe('Bearer very-secret-token')
  expect(textOf(result)).toContain('400')
  expect(JSON.stringify(result)).not.toContain('very-secret')
})

test('aborts the transfer of a response that is too large', async () => {
  api.respond = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const more = (): void => {
      if (!response.destroyed) response.write('x'.repeat(1000), () => setImmediate(more))
    }
    more()
  }
  const result = await api.call({ maxResponseBytes: 10_000 })
  expect(textOf(result)).toMatch(/larger than maxResponseBytes \(10000 bytes\)/)
})

test('unpacks a compressed response within the same size limit', async () => {
  api.respond = (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(50_000)))
  expect(textOf(await api.call({}))).toHaveLength(50_000)
  expect(textOf(await api.call({ maxResponseBytes: 10_000 }))).toMatch(/larger than maxResponseBytes/)
})

test('an HTTP handler reports a timeout as a tool error', async () => {
  api.respond = () => {}
  expect(textOf(await api.call({ timeoutMs: 50 }))).toMatch(/did not answer within 50 ms/)
})

test('reports a response that stalls as a tool error', async () => {
  api.respond = (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
  }
  expect(textOf(await api.call({ timeoutMs: 100, retries: 0 }))).toMatch(/did not answer within 100 ms/)
})

test('reports a truncated response as a tool error', async () => {
  api.respond = (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy())
  }
  const result = await api.call({ retries: 0 })
  expect(result.isError).toBe(true)
  expect(textOf(result)).toMatch(/could not be reached \(UND_ERR_SOCKET\)/)
})

test('aborts the request when the call is cancelled', async () => {
  const controller = new AbortController()
  const closed = new Promise<void>(resolve => {
    api.respond = (_request, response) => {
      response.on('close', resolve)
      controller.abort()
    }
  })
  const result = await api.call({}, {}, { call: createCall({ signal: controller.signal }) })
  await closed
  expect(result.isError).toBe(true)
  expect(api.received).toHaveLength(1)
})

test('an HTTP handler rejects arguments that put line breaks into headers', async () => {
  api.respond = json(1)
  const result = await api.call({ headers: { 'X-Id': '{{ id }}' } }, { id: 'a\r\nX-Admin: 1' })
  expect(textOf(result)).toMatch(/header "X-Id"/)
  expect(api.received).toHaveLength(0)
})

test('arguments can neither leave the path nor change the host', async () => {
  api.respond = json(1)
  expect(textOf(await api.call({ url: '{{ env.API }}/items/{{ id }}' }, { id: '../admin' }))).toMatch(
    /outside the path/,
  )
  expect(textOf(await api.call({ url: '{{ env.API }}{{ path }}' }, { path: '@other.invalid/' }))).toMatch(
    /would change the host of the request/,
  )
  expect(api.received).toHaveLength(0)
})

test('rejects private addresses unless the server is allowed to reach private networks', async () => {
  for (const url of [
    api.base,
    api.base.replace('127.0.0.1', 'localhost'),
    api.base.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
  ]) {
    const result = await api.call({ url, retries: 0 }, {}, { allowPrivateNetwork: false })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(/private network/)
  }
  expect(api.received).toHaveLength(0)
})

test('when connecting, rejects a name that resolves to a private address', async () => {
  const { port } = new URL(api.base)
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
  expect(api.received).toHaveLength(0)
  await agent.close()
})
