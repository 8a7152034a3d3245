import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { textOf } from '../../../helpers/instance/prepared.ts'
import { CalledApi, json } from './called-api.ts'

const api = new CalledApi()

beforeAll(() => api.start())
afterEach(() => api.forget())
afterAll(() => api.close())

test('retries idempotent requests on 429, 502, 503, 504 and connection errors', async () => {
  const statuses = [429, 503, 502, 504, 0]
  api.respond = (_request, response) => {
    const status = statuses.shift()
    if (status === 0) response.socket?.destroy()
    else if (status === undefined) json('at last')(api.received[0]!, response)
    else response.writeHead(status, { 'retry-after': '0' }).end()
  }
  expect(textOf(await api.call({ method: 'PUT', retries: 5 }))).toBe('"at last"')
  expect(api.received).toHaveLength(6)
})

test('stops after the configured number of retries and reports the last response', async () => {
  api.respond = (_request, response) => response.writeHead(503, { 'retry-after': '0' }).end('busy')
  expect(textOf(await api.call({ retries: 1 }))).toMatch(/answered 503 Service Unavailable: busy/)
  expect(api.received).toHaveLength(2)
})

test('does not retry when Retry-After exceeds the remaining time', async () => {
  api.respond = (_request, response) => response.writeHead(429, { 'retry-after': '3600' }).end('slow down')
  expect(textOf(await api.call({ timeoutMs: 5000 }))).toMatch(/answered 429 Too Many Requests: slow down/)
  expect(api.received).toHaveLength(1)
})

test('waits for the same random pause that it compared with the remaining time', async () => {
  const statuses = [503, 200]
  api.respond = (_request, response) => response.writeHead(statuses.shift()!).end('done')
  // A second draw for the same pause would wait for 5 seconds.
  const random = vi.spyOn(Math, 'random').mockReturnValue(100).mockReturnValueOnce(0)
  const result = await api.call({ timeoutMs: 3000 }).finally(() => random.mockRestore())
  expect(textOf(result)).toBe('done')
})

test('sends a non-idempotent request only once', async () => {
  api.respond = (_request, response) => response.writeHead(503).end()
  expect((await api.call({ method: 'POST', body: {} })).isError).toBe(true)
  expect(api.received).toHaveLength(1)
})

test('follows redirects within the host, but not to another host', async () => {
  api.respond = ({ url }, response) => {
    if (url === '/') response.writeHead(302, { location: '/there' }).end()
    else if (url === '/away') response.writeHead(302, { location: 'http://other.invalid/' }).end()
    else json('there')(api.received[0]!, response)
  }
  expect(textOf(await api.call({ headers: { 'X-Key': 'k' } }))).toBe('"there"')
  expect(api.received.map(({ headers }) => headers['x-key'])).toEqual(['k', 'k'])
  expect(textOf(await api.call({ url: '{{ env.API }}/away' }))).toMatch(
    /redirects to another host \(other\.invalid\)/,
  )
})

test('gives up after too many redirects', async () => {
  api.respond = (_request, response) => response.writeHead(302, { location: '/' }).end()
  expect(textOf(await api.call({}))).toMatch(/redirected more than 5 times/)
})
