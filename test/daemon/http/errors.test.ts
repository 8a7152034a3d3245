import { mkdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { buildServer, createKey, echoServer } from './fixtures.ts'

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
})

afterAll(() => daemon.close())

const post = (path: string, body: unknown, headers = {}) => daemon.api('POST', path, { body, headers })
const error = (code: string, rest = {}) => ({ success: false, error: { code, ...rest } })

describe('every answer', () => {
  test('every answer has a unique request id in header and envelope', async () => {
    const first = await daemon.api('GET', '/v1/build')
    const second = await daemon.api('GET', '/v1/build/mcp_none')
    expect(first.body.meta.request_id).toBe(first.headers['x-request-id'])
    expect(second.body.meta.request_id).toBe(second.headers['x-request-id'])
    expect(first.headers['x-request-id']).not.toBe(second.headers['x-request-id'])
    expect(Date.parse(first.body.meta.timestamp)).not.toBeNaN()
  })

  test('every answer to a request with a key has the three rate-limit headers, including errors', async () => {
    for (const path of ['/v1/build', '/v1/build/mcp_none', '/v1/nothing', '/v1/build?limit=x']) {
      const { headers } = await daemon.api('GET', path)
      expect(headers['x-ratelimit-limit']).toBe('1000000')
      expect(Number(headers['x-ratelimit-remaining'])).toBeGreaterThan(0)
      expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThan(Date.now() / 1000)
    }
  })
})

test('answers a malformed request with the error envelope', async () => {
  for (const head of ['OPTIONS * HTTP/1.1\r\nHost: a', 'GET / HTTP/1.1\r\nHost: a b', 'GET / HTTP/1.0']) {
    const answer = await sendRaw(`${head}\r\nConnection: close\r\n\r\n`)
    expect(answer, head).toMatch(/^HTTP\/1\.1 400 /)
    const body = JSON.parse(/\{.*\}/.exec(answer)![0])
    expect(body).toMatchObject(error('INVALID_REQUEST'))
    expect(answer.toLowerCase()).toContain(`x-request-id: ${body.meta.request_id}`)
  }
})

async function sendRaw(request: string): Promise<string> {
  const socket = connect(daemon.daemon.port, '127.0.0.1')
  socket.end(request)
  return (await socket.toArray()).join('')
}

describe('a body', () => {
  test('reports the position of an error in malformed JSON', async () => {
    const answer = await post('/v1/build', '{"name": "a",\n  "template": }')
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject(
      error('INVALID_JSON', { details: expect.stringMatching(/^line 2, column 15: /) }),
    )
  })

  test('rejects a truncated body', async () => {
    const answer = await post('/v1/deploy', '{"mcp_id": "x"')
    expect(answer.body).toMatchObject(
      error('INVALID_JSON', { details: expect.stringMatching(/^line 1, column 15: /) }),
    )
  })

  test('rejects a missing body', async () => {
    expect((await daemon.api('POST', '/v1/deploy')).body).toMatchObject(error('INVALID_JSON'))
  })

  test('rejects a body that is not UTF-8', async () => {
    const answer = await post('/v1/build', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]))
    expect(answer.body).toMatchObject(error('INVALID_JSON', { message: 'The body is not UTF-8 text.' }))
  })

  test('rejects a body nested deeper than 200 levels', async () => {
    const answer = await post('/v1/build', '['.repeat(100_000))
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject(
      error('INVALID_JSON', { message: expect.stringMatching(/deeper than 200/) }),
    )
  })

  test('rejects a body larger than 1 MiB with or without Content-Length', async () => {
    const huge = JSON.stringify({ ...echoServer(), data: 'x'.repeat(1024 * 1024) })
    const answer = await post('/v1/build', huge)
    expect(answer.status).toBe(413)
    expect(answer.body).toMatchObject(error('PAYLOAD_TOO_LARGE'))
    const chunked = await fetch(`${daemon.url}/v1/build`, {
      method: 'POST',
      duplex: 'half',
      headers: { authorization: `Bearer ${daemon.ownerKey}`, 'content-type': 'application/json' },
      body: new Blob([huge]).stream(),
    } as RequestInit)
    expect(chunked.status).toBe(413)
    await chunked.body?.cancel()
  })

  test('rejects a body with another media type', async () => {
    const answer = await post('/v1/build', 'name: a', { 'content-type': 'application/yaml' })
    expect(answer.status).toBe(415)
    expect(answer.body).toMatchObject(
      error('UNSUPPORTED_MEDIA_TYPE', { message: expect.stringMatching(/application\/yaml/) }),
    )
  })

  test('names a field with the wrong type', async () => {
    const answer = await post('/v1/deploy', { mcp_id: 7, environment: 'production' })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject(
      error('INVALID_REQUEST', { details: expect.stringMatching(/^mcp_id: /) }),
    )
  })

  test('rejects an unknown field and suggests a similar name', async () => {
    const answer = await post('/v1/deploy', {
      mcp_id: 'm',
      environment: 'staging',
      config: { domian: 'a.example' },
    })
    expect(answer.body).toMatchObject(
      error('INVALID_REQUEST', { details: 'config.domian: not a known field, did you mean "domain"?' }),
    )
  })

  test('an error about a huge body has fewer than 10,000 characters', async () => {
    const scopes = Array(80_000).fill('REED')
    const unknown = Object.fromEntries(scopes.slice(0, 50_000).map((_, index) => [`field${index}`, 1]))
    for (const [path, body] of [
      ['/api/keys', { name: 'x', scopes }],
      ['/v1/deploy', unknown],
      ['/v1/deploy', { mcp_id: 'm', environment: 'staging', ['y'.repeat(900_000)]: 1 }],
      ['/v1/deploy', { mcp_id: 'm'.repeat(900_000), environment: 'staging' }],
    ] as const) {
      const answer = await post(path, body)
      expect(answer.status).toBe(400)
      expect(answer.text.length).toBeLessThan(10_000)
    }
  })

  test('a body never pollutes a prototype', async () => {
    const answer = await post(
      '/v1/deploy',
      '{"mcp_id":"m","environment":"staging","__proto__":{"polluted":true}}',
    )
    expect(answer.status).toBe(400)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('a key', () => {
  test('a missing key returns 401 with a bare challenge and without rate-limit headers', async () => {
    const answer = await daemon.api('GET', '/v1/build', { key: null })
    expect(answer.status).toBe(401)
    expect(answer.body).toMatchObject(error('UNAUTHORIZED'))
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="mcp-hosting"')
    expect(answer.headers['x-ratelimit-limit']).toBeUndefined()
  })

  test('an unknown key returns 401, and the answer does not repeat it', async () => {
    const answer = await daemon.api('GET', '/v1/build', { key: 'mcp_sk_guessed' })
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toMatch(/error="invalid_token"/)
    expect(answer.text).not.toContain('guessed')
  })

  test('a key in another scheme returns 401', async () => {
    const answer = await daemon.api('GET', '/v1/build', {
      key: null,
      headers: { authorization: 'Basic YTpi' },
    })
    expect(answer.status).toBe(401)
  })

  test('a key without the scope returns 403, and the response names the scope', async () => {
    const { key } = await createKey(daemon, { scopes: ['READ'] })
    const answer = await daemon.api('POST', '/v1/build', { key, body: echoServer() })
    expect(answer.status).toBe(403)
    expect(answer.body).toMatchObject(
      error('INSUFFICIENT_SCOPE', {
        message: expect.stringMatching(/needs the scope BUILD_AND_DEPLOY.*has READ/),
      }),
    )
  })
})

describe('a path', () => {
  test('an unknown path returns 404', async () => {
    expect((await daemon.api('GET', '/v1/nothing')).body).toMatchObject(error('NOT_FOUND'))
    expect((await daemon.api('GET', '/nothing')).body).toMatchObject(error('NOT_FOUND'))
  })

  test('an unsupported method returns 405 and lists the supported ones', async () => {
    const answer = await daemon.api('PUT', '/v1/build')
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('POST, GET, HEAD')
    expect(answer.body).toMatchObject(error('METHOD_NOT_ALLOWED'))
  })

  test('an unknown id returns 404, and the answer names it', async () => {
    for (const path of [
      '/v1/build/mcp_gone',
      '/v1/deploy/dep_gone/status',
      '/api/lambda-deploy/dep_gone/health',
      '/api/lambda-deploy/dep_gone/logs',
    ]) {
      const answer = await daemon.api('GET', path)
      expect(answer.status, path).toBe(404)
      expect(answer.body.error.message).toMatch(/(mcp|dep)_gone/)
    }
    expect((await daemon.api('DELETE', '/api/keys/key_gone')).status).toBe(404)
    expect((await post('/v1/deploy', { mcp_id: 'mcp_gone', environment: 'staging' })).status).toBe(404)
  })

  test('rejects an id with path characters', async () => {
    for (const id of ['..%2F..%2Fetc', '%2e%2e%2fdaemon.db', 'a%00b', '%5c..%5c'])
      expect((await daemon.api('GET', `/api/lambda-deploy/${id}/logs`)).status, id).toBe(400)
  })

  test('rejects an invalid query parameter', async () => {
    for (const query of ['limit=0', 'limit=many', 'limit=1001', 'status=broken', 'cursor=abc', 'page=2'])
      expect((await daemon.api('GET', `/v1/build?${query}`)).body, query).toMatchObject(
        error('INVALID_REQUEST'),
      )
  })
})

describe('a browser', () => {
  test('rejects a page from another origin', async () => {
    const answer = await daemon.api('GET', '/v1/build', { headers: { origin: 'https://evil.example' } })
    expect(answer.status).toBe(403)
    expect(answer.body).toMatchObject(error('FORBIDDEN'))
  })

  test('rejects a page whose host name was rebound to loopback, even for /health', async () => {
    for (const path of ['/v1/build', '/health'])
      expect((await daemon.api('GET', path, { headers: { host: 'evil.example:6273' } })).status).toBe(403)
  })

  test("serves a page from the daemon's own origin", async () => {
    expect((await daemon.api('GET', '/v1/build', { headers: { origin: daemon.url } })).status).toBe(200)
  })
})

test('an internal error shows only a request id, and the log has the details under that id', async () => {
  const mcpId = await buildServer(daemon, echoServer('faulty'))
  const { digest } = (await daemon.api('GET', `/v1/build/${mcpId}`)).body.data
  const file = join(daemon.home.artifacts, `${digest}.json`)
  rmSync(file)
  mkdirSync(file)
  const answer = await daemon.api('GET', `/v1/build/${mcpId}/artifact`)
  expect(answer.status).toBe(500)
  expect(answer.body).toMatchObject(error('INTERNAL'))
  expect(answer.text).not.toMatch(/EISDIR|artifacts|\.ts/)
  const entry = daemon.errors.find(({ fields }) => fields.requestId === answer.headers['x-request-id'])
  expect(entry).toMatchObject({
    message: 'request failed',
    fields: {
      path: `/v1/build/${mcpId}/artifact`,
      error: expect.stringContaining('EISDIR'),
      stack: expect.any(String),
    },
  })
})
