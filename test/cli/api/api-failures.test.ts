import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApiClient } from '../../../src/cli/api/client.ts'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'
import { type ContractStub, startContractStub } from '../../helpers/services/contract-stub.ts'

/** Output and exit codes of commands when the API fails. */
let home: TestHome
let stub: ContractStub | undefined

beforeEach(() => {
  home = createHome()
})

afterEach(async () => {
  await stub?.close()
  stub = undefined
  await home.remove()
})

async function answering(answer: (response: ServerResponse) => void) {
  stub = await startContractStub({
    intercept(_request, response) {
      answer(response)
      return true
    },
  })
  Object.assign(home.env, { MCP_API_URL: stub.url, MCP_API_KEY: stub.key })
  const { code, stdout, stderr } = await home.mcp(['whoami', '--json'])
  expect(stdout).toBe('')
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  return { code, error: JSON.parse(stderr).error }
}

const envelope = (code: string, message = 'No.', details = 'because') =>
  JSON.stringify({ success: false, error: { code, message, details } })

test.each([
  [400, 'INVALID_REQUEST', 2],
  [401, 'UNAUTHORIZED', 3],
  [403, 'INSUFFICIENT_SCOPE', 3],
  [404, 'NOT_FOUND', 4],
  [409, 'CONFLICT', 5],
  [413, 'PAYLOAD_TOO_LARGE', 2],
  [422, 'INVALID_MCP', 2],
  [429, 'RATE_LIMITED', 6],
  [500, 'INTERNAL', 70],
  [502, 'UPSTREAM_FAILED', 7],
  [503, 'UNAVAILABLE', 7],
  [504, 'TIMEOUT', 8],
])(
  'after HTTP %i with code %s, a command exits with %i and prints code, message and details',
  async (status, code, exit) => {
    const failed = await answering(response => response.writeHead(status).end(envelope(code)))
    expect(failed.code).toBe(exit)
    expect(failed.error).toMatchObject({ code, message: 'No.' })
    expect(failed.error.details).toContain('because')
  },
)

test('an unknown error code is replaced by the code for the HTTP status', async () => {
  const failed = await answering(response => response.writeHead(409).end(envelope('NAME_TAKEN')))
  expect(failed).toMatchObject({ code: 5, error: { code: 'CONFLICT' } })
  expect(failed.error.details).toContain('NAME_TAKEN')
})

test('an error response without JSON is reported with its HTTP status', async () => {
  const failed = await answering(response => response.writeHead(502).end('<html>Bad gateway</html>'))
  expect(failed).toMatchObject({ code: 7, error: { code: 'UPSTREAM_FAILED' } })
  expect(failed.error.message).toContain('502')
})

test('reports a successful response without JSON and asks whether the URL is right', async () => {
  const failed = await answering(response => response.writeHead(200).end('<html>Welcome</html>'))
  expect(failed).toMatchObject({ code: 7, error: { code: 'UPSTREAM_FAILED' } })
  expect(failed.error.message).toContain('Is this the URL of the API?')
})

test('a rate limit error says when to try again', async () => {
  const failed = await answering(response =>
    response.writeHead(429, { 'retry-after': '17' }).end(envelope('RATE_LIMITED')),
  )
  expect(failed.error.next).toEqual([{ description: 'Try again in 17 s' }])
})

test('does not follow a redirect, which could leak the key', async () => {
  const failed = await answering(response =>
    response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  )
  expect(failed.code).not.toBe(0)
  expect(stub!.requests).toHaveLength(1)
})

test('exits with 7 if the connection is reset during a response', async () => {
  const failed = await answering(response => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"half":')
    setImmediate(() => response.socket?.destroy())
  })
  expect(failed).toMatchObject({ code: 7, error: { code: 'UNAVAILABLE' } })
})

test('a stream and a download fail with UNAVAILABLE if the connection is reset during an error response', async () => {
  stub = await startContractStub({
    intercept(_request, response) {
      response.writeHead(500, { 'content-length': '1000' })
      response.write('{"half":')
      setImmediate(() => response.socket?.destroy())
      return true
    },
  })
  const client = createApiClient({ url: stub.url, apiKey: undefined, timeoutMs: 10_000 })
  const stream = client.stream('GET', '/api/metrics', {})[Symbol.asyncIterator]().next()
  await expect(stream).rejects.toMatchObject({ name: 'HostingError', code: 'UNAVAILABLE' })
  const download = client.download('/v1/build/mcp-123/export', join(home.dir, 'export.tar'))
  await expect(download).rejects.toMatchObject({ name: 'HostingError', code: 'UNAVAILABLE' })
})

test.each([
  [1, '1 missing or damaged file'],
  [2, '2 missing or damaged files'],
])('daemon backup warns about missing files, here %i', async (missing, text) => {
  const record = { file: '/b/mcp.db', bytes: 1, files: 0, missing, sentTo: null, sendError: null }
  stub = await startContractStub({
    intercept(_request, response) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(record))
      return true
    },
  })
  const { stderr } = await home.mcp(['daemon', 'backup', '--api-url', stub.url])
  expect(stderr).toBe(`The backup lacks ${text}. See mcp doctor.\n`)
})

test('exits with 8 if the API does not respond in time', async () => {
  stub = await startContractStub({ intercept: () => true })
  const { code, stderr } = await home.mcp(['whoami', '--api-url', stub.url, '--timeout', '100ms'])
  expect(code).toBe(8)
  expect(stderr).toContain('--timeout')
})

test('exits with 7 if the connection is refused, and suggests checking the settings', async () => {
  stub = await startContractStub()
  const { url } = stub
  await stub.close()
  const { code, stderr } = await home.mcp(['whoami', '--api-url', url])
  expect(code).toBe(7)
  expect(stderr).toContain(`${url} is unreachable: connection refused`)
  expect(stderr).toContain('mcp context show')
})

test('--debug shows the requests and never the key', async () => {
  stub = await startContractStub()
  const { stderr } = await home.mcp(['whoami', '--api-url', stub.url, '--api-key', stub.key, '--debug'])
  expect(stderr).toContain(`> GET ${stub.url}/api/deployments/api-key/info`)
  expect(stderr).toContain('< 200')
  expect(stderr).not.toContain(stub.key)
})
