import type { LookupFunction } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FetchDocumentOptions, fetchDocument } from '../../../../src/sdk/oauth/clients/fetch-document.ts'
import { type HttpsServer, startHttpsServer } from '../support/https-server.ts'

let server: HttpsServer
beforeAll(async () => {
  server = await startHttpsServer((request, response) => {
    if (request.url === '/redirect') return response.writeHead(302, { location: '/ok' }).end()
    if (request.url === '/large') return response.end('x'.repeat(100_000))
    if (request.url === '/endless') return response.write('x')
    response.setHeader('cache-control', 'max-age=60').end('{"a":1}')
  })
})
afterAll(() => server[Symbol.asyncDispose]())

const loopbackOnly = (address: string) => address === '127.0.0.1'

/** DNS lookup that returns these answers in turn. */
function dns(...answers: string[][]): LookupFunction {
  let asked = 0
  return (_host, _options, callback) => {
    const addresses = answers[Math.min(asked, answers.length - 1)]!
    asked += 1
    callback(
      null,
      addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
}

const get = (path: string, options: FetchDocumentOptions = {}) =>
  fetchDocument(server.url + path, {
    lookup: dns(['127.0.0.1']),
    isAllowed: loopbackOnly,
    ca: server.ca,
    ...options,
  })

test('fetches a document from an allowed address', async () => {
  const document = await get('/ok')
  expect(document).toMatchObject({ status: 200, text: '{"a":1}' })
  expect(document.headers['cache-control']).toBe('max-age=60')
})

test('does not connect to a host name with a private address or without an address', async () => {
  const before = server.requests.length
  for (const answer of [
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    [],
  ]) {
    await expect(get('/ok', { lookup: dns(answer), isAllowed: undefined }), answer.join()).rejects.toThrow(
      'that is not allowed',
    )
  }
  expect(server.requests).toHaveLength(before)
})

test('does not connect to a host with both public and private addresses', async () => {
  await expect(get('/ok', { lookup: dns(['1.1.1.1', '127.0.0.1']), isAllowed: undefined })).rejects.toThrow(
    'that is not allowed',
  )
})

test('connects to the checked address even if the DNS answer changes', async () => {
  const asked: string[] = []
  const rebinding = dns(['127.0.0.1'], ['10.0.0.1'])
  const lookup: LookupFunction = (host, options, callback) => {
    asked.push(host)
    rebinding(host, options, callback)
  }
  expect((await get('/ok', { lookup })).status).toBe(200)
  expect(asked).toEqual(['client.example'])
  await expect(get('/ok', { lookup })).rejects.toThrow('that is not allowed')
})

test.each([
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://169.254.169.254/latest',
  'https://2130706433/',
  'https://0/',
])('rejects the literal address %s without a connection', async url => {
  await expect(fetchDocument(url)).rejects.toThrow('its address is not allowed')
})

test('fetches no document over plain http', async () => {
  await expect(fetchDocument('http://client.example/')).rejects.toThrow('its address is not allowed')
})

test('does not follow redirects to other documents', async () => {
  expect((await get('/redirect')).status).toBe(302)
  expect(server.requests.at(-1)).toBe('/redirect')
})

test('stops reading a document that is too long or endless', async () => {
  await expect(get('/large')).rejects.toThrow('longer than 65536 bytes')
  await expect(get('/endless', { timeoutMs: 200 })).rejects.toThrow(/abort|timeout/i)
})

test('rejects an untrusted certificate', async () => {
  await expect(get('/ok', { ca: undefined })).rejects.toThrow(/certificate/i)
})
