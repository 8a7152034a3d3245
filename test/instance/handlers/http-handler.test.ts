import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CallContext } from '../../../src/instance/prepared-server.ts'
import { toolSchema } from '../../../src/shared/definitions.ts'
import { callTool, createCall, createTool, textOf } from '../../helpers/prepared.ts'

type Respond = (request: IncomingMessage, response: ServerResponse, body: string) => void

let api: Server
let url: string
let respond: Respond
let seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[]

beforeEach(async () => {
  seen = []
  respond = (_request, response) => json(response, { ok: true })
  api = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    seen.push({ method: request.method!, url: request.url!, headers: request.headers, body })
    respond(request, response, body)
  })
  api.listen(0, '127.0.0.1')
  await once(api, 'listening')
  url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
})
afterEach(async () => {
  api.closeAllConnections()
  api.close()
  await once(api, 'close')
})

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

type Env = Record<string, string>

/** A tool with this handler, as a function that calls it. */
function httpTool(handler: object, env: Env = {}, tool: object = {}, allowPrivateNetwork = true) {
  const definition = toolSchema.parse({ ...createTool({}), ...tool, handler: { type: 'http', ...handler } })
  const artifact = { env: Object.keys(env).map(name => ({ name, required: true })) }
  return (args: Record<string, unknown> = {}, call: Partial<CallContext> = {}) =>
    callTool(definition, args, { artifact, tenant: { env, allowPrivateNetwork }, call: createCall(call) })
}

describe('the request', () => {
  test('is made of templates over arguments and environment', async () => {
    const call = httpTool(
      {
        method: 'POST',
        url: '{{ env.BASE }}/cities/{{ city | url_encode }}',
        headers: { Authorization: 'Bearer {{ env.TOKEN }}', 'X-Empty': '{{ none }}' },
        query: { units: '{{ units }}', lang: '{{ lang }}' },
        body: { city: '{{ city }}', days: '{{ days }}', note: 'for {{ city }}' },
      },
      { BASE: url, TOKEN: 'secret-token' },
    )
    await call({ city: 'São Paulo', days: 3, units: 'metric & more' })
    const [{ method, url: path, headers, body }] = seen as [(typeof seen)[0]]
    expect(method).toBe('POST')
    expect(new URL(path, url).pathname).toBe('/cities/S%C3%A3o+Paulo')
    expect(new URL(path, url).searchParams.toString()).toBe('units=metric+%26+more')
    expect(headers.authorization).toBe('Bearer secret-token')
    expect(headers).not.toHaveProperty('x-empty')
    expect(headers['content-type']).toBe('application/json')
    expect(JSON.parse(body)).toEqual({ city: 'São Paulo', days: 3, note: 'for São Paulo' })
  })

  test('never takes a line break into a header', async () => {
    const call = httpTool({ url, headers: { 'X-City': 'a{{ city }}' } })
    const result = await call({ city: 'x\r\nX-Admin: 1' })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('X-City')
    expect(seen).toEqual([])
  })

  test.each(['../admin', '..%2f', '%2e%2e', '..', 'a/../../admin'])(
    'does not leave the path it is made for with %j',
    async id => {
      const call = httpTool({ url: `${url}/users/{{ id }}` })
      await call({ id })
      for (const { url: path } of seen) expect(new URL(path, url).pathname).toMatch(/^\/users\/./)
    },
  )

  test.each(['@evil.example/', '.evil.example', ':1/', '/evil.example'])(
    'does not leave the host it is made for with %j',
    async path => {
      const call = httpTool({ url: `${url}{{ path }}`, retries: 0 })
      const result = await call({ path })
      if (seen.length === 0) expect(result.isError).toBe(true)
    },
  )
})

describe('the answer', () => {
  test('is the body as it came', async () => {
    expect(await httpTool({ url })()).toEqual({ content: [{ type: 'text', text: '{"ok":true}' }] })
    respond = (_request, response) => response.setHeader('content-type', 'text/plain').end('sunny')
    expect(textOf(await httpTool({ url })())).toBe('sunny')
    respond = (_request, response) => response.setHeader('content-type', 'image/png').end(Buffer.from([1, 2]))
    expect((await httpTool({ url })()).content).toEqual([
      { type: 'image', data: 'AQI=', mimeType: 'image/png' },
    ])
  })

  test('is made by result over status, headers and body', async () => {
    respond = (_request, response) => json(response.setHeader('x-id', '7'), { main: { temp: 21.5 } })
    const result = {
      json: {
        temperature: '{{ response.body.main.temp }}',
        id: '{{ response.headers["x-id"] }}',
        status: '{{ response.status }}',
      },
    }
    const outputSchema = { type: 'object', properties: { temperature: { type: 'number' } } }
    const answer = await httpTool({ url, result }, {}, { outputSchema })()
    expect(answer.structuredContent).toEqual({ temperature: 21.5, id: '7', status: 200 })
    expect(JSON.parse(textOf(answer))).toEqual(answer.structuredContent)
  })

  test('that breaks the output schema is an error that names the field', async () => {
    respond = (_request, response) => json(response, { temperature: 'warm' })
    const outputSchema = { type: 'object', properties: { temperature: { type: 'number' } } }
    const answer = await httpTool({ url }, {}, { outputSchema })()
    expect(answer.isError).toBe(true)
    expect(textOf(answer)).toContain('"temperature" must be number')
  })

  test('of another status than 2xx is an error with the status and what came, short', async () => {
    respond = (_request, response) =>
      json(response, { message: 'no such city', padding: 'x'.repeat(5000) }, 404)
    const answer = await httpTool({ url })()
    expect(answer.isError).toBe(true)
    expect(textOf(answer)).toMatch(/404 Not Found.*no such city/)
    expect(textOf(answer).length).toBeLessThan(1000)
  })

  test('never tells a value of the environment, whatever the API sends back', async () => {
    respond = (request, response) => json(response, { echo: request.headers.authorization }, 401)
    const headers = { Authorization: 'Bearer {{ env.TOKEN }}' }
    const answer = await httpTool({ url, headers }, { TOKEN: 'tok-3f9a77' })()
    expect(answer.isError).toBe(true)
    expect(JSON.stringify(answer)).not.toContain('tok-3f9a77')
  })

  test('larger than maxResponseBytes is cut off while it comes, compressed or not', async () => {
    respond = (_request, response) => {
      response.setHeader('content-type', 'text/plain')
      const write = () => {
        while (response.writable && response.write('x'.repeat(10_000)));
        if (response.writable) response.once('drain', write)
      }
      write()
    }
    const answer = await httpTool({ url, maxResponseBytes: 50_000 })()
    expect(answer.isError).toBe(true)
    expect(textOf(answer)).toContain('maxResponseBytes')
  })

  test('that takes too long is an error that names the limit', async () => {
    respond = () => {}
    const answer = await httpTool({ url, timeoutMs: 30 })()
    expect(answer.isError).toBe(true)
    expect(textOf(answer)).toContain('within 30 ms')
  })

  test('is not waited for once the call is cancelled', async () => {
    const controller = new AbortController()
    const closed = new Promise(resolve => {
      respond = (request, _response) => {
        request.socket.once('close', resolve)
        controller.abort()
      }
    })
    const answer = await httpTool({ url })({}, { signal: controller.signal })
    expect(answer.isError).toBe(true)
    await closed
  })
})

describe('retries', () => {
  test.each([429, 502, 503, 504])('a GET that met %i until it is answered', async status => {
    respond = (_request, response) =>
      json(response.setHeader('retry-after', '0'), { n: seen.length }, seen.length < 3 ? status : 200)
    expect(textOf(await httpTool({ url })())).toBe('{"n":3}')
  })

  test('a GET whose connection broke', async () => {
    respond = (request, response) => {
      if (seen.length < 2) request.socket.destroy()
      else json(response, { n: seen.length })
    }
    expect(textOf(await httpTool({ url })())).toBe('{"n":2}')
  })

  test('no more often than it may', async () => {
    respond = (_request, response) => json(response.setHeader('retry-after', '0'), {}, 503)
    expect(textOf(await httpTool({ url, retries: 1 })())).toContain('503')
    expect(seen).toHaveLength(2)
  })

  test('no POST, which may have done its work', async () => {
    respond = request => request.socket.destroy()
    expect((await httpTool({ url, method: 'POST' })()).isError).toBe(true)
    expect(seen).toHaveLength(1)
  })

  test('nothing that would wait beyond the time limit', async () => {
    respond = (_request, response) => json(response.setHeader('retry-after', '3600'), {}, 503)
    expect(textOf(await httpTool({ url })())).toContain('503')
    expect(seen).toHaveLength(1)
  })
})

describe('redirects', () => {
  test('are followed within the host', async () => {
    respond = (request, response) => {
      if (request.url === '/new') json(response, { moved: true })
      else response.writeHead(302, { location: '/new' }).end()
    }
    expect(textOf(await httpTool({ url })())).toBe('{"moved":true}')
  })

  test('to another host are told, not followed', async () => {
    respond = (_request, response) => response.writeHead(302, { location: 'http://localhost:1/' }).end()
    const answer = await httpTool({ url })()
    expect(answer.isError).toBe(true)
    expect(textOf(answer)).toContain('localhost:1')
  })

  test('in a circle end', async () => {
    respond = (_request, response) => response.writeHead(302, { location: '/' }).end()
    expect((await httpTool({ url })()).isError).toBe(true)
    expect(seen.length).toBeLessThan(20)
  })
})

test('a private network is refused unless the deployment allows it', async () => {
  const answer = await httpTool({ url }, {}, {}, false)()
  expect(answer.isError).toBe(true)
  expect(textOf(answer)).toContain('allow_private_network')
  expect(seen).toEqual([])
})
