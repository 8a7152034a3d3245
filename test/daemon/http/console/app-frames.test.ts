import { afterAll, beforeAll, expect, test } from 'vitest'
import { APP_HOST, CONSOLE_HOST } from '../../../../src/shared/names.ts'
import { startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { type RawAnswer, rawRequest } from './raw-request.ts'

let daemon: TestDaemon
let port: number
beforeAll(async () => {
  daemon = await startTestDaemon()
  port = Number(/frame-src http:\/\/[\w.-]+:(\d+)$/.exec(await pagePolicy())![1])
})
afterAll(() => daemon.close())

async function pagePolicy(): Promise<string> {
  const { headers } = await daemon.api('GET', '/console/', { key: null })
  return String(headers['content-security-policy'])
}

function get(path = '/frame', headers: Record<string, string> = {}): Promise<RawAnswer> {
  return rawRequest(port, path, { host: `${APP_HOST}:${port}`, ...headers })
}

async function directives(query: string): Promise<Record<string, string>> {
  const { headers } = await get(`/frame?${query}`)
  const policy = String(headers['content-security-policy'])
  return Object.fromEntries(policy.split('; ').map(text => text.split(/ (.*)/)))
}

test('the console may frame only the app port, which differs from the port of the console', async () => {
  expect(port).not.toBe(daemon.daemon.port)
  expect(await pagePolicy()).toMatch(new RegExp(`; frame-src http://${APP_HOST}:${port}$`))
  expect(await pagePolicy()).toContain("frame-ancestors 'none'")
})

test('a frame without declared origins can load nothing from the network, and only the console can show it', async () => {
  expect(await directives('')).toEqual({
    'default-src': "'none'",
    'script-src': "'unsafe-inline'",
    'style-src': "'unsafe-inline'",
    'img-src': 'data: blob:',
    'font-src': 'data:',
    'media-src': 'data: blob:',
    'connect-src': "'none'",
    'frame-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': `http://${CONSOLE_HOST}:*`,
  })
})

test('a frame sets no cookie, is not stored, and has no access to devices', async () => {
  const { status, headers } = await get()
  expect([status, headers['set-cookie'], headers['cache-control']]).toEqual([200, undefined, 'no-store'])
  expect(headers['permissions-policy']).toMatch(/camera=\(\), microphone=\(\), geolocation=\(\)/)
})

test('declared origins are allowed only for the declared purpose', async () => {
  const policy = await directives(
    'connect=wss://live.example.com&resource=https://*.cdn.example&frame=https://a.example:8443',
  )
  expect(policy['connect-src']).toBe('wss://live.example.com')
  expect(policy['script-src']).toBe("'unsafe-inline' https://*.cdn.example")
  expect(policy['frame-src']).toBe('https://a.example:8443')
  expect(policy['base-uri']).toBe("'none'")
})

test.each([
  'http://api.example.com',
  'https://127.0.0.1',
  'https://[::1]',
  'https://2130706433',
  'https://localhost:6273',
  'https://console.mcp-hosting.localhost',
  'https://printer.local',
  'https://*',
  'https:',
  '*',
  'https://a.example/path',
  "'unsafe-eval'",
  "https://a.example; script-src 'unsafe-eval'",
  'https://a.example https://b.example',
])('the origin %s is left out of the policy', async origin => {
  expect((await directives(`connect=${encodeURIComponent(origin)}`))['connect-src']).toBe("'none'")
})

test('the app port answers only requests for its host name', async () => {
  for (const host of ['127.0.0.1', 'localhost', CONSOLE_HOST, 'evil.example', `x.${APP_HOST}`])
    expect((await get('/frame', { host: `${host}:${port}` })).status, host).toBe(403)
})

test('the frame of an app cannot be opened as a page', async () => {
  expect((await get('/frame', { 'sec-fetch-dest': 'document' })).status).toBe(403)
  expect((await get('/frame', { 'sec-fetch-dest': 'iframe' })).status).toBe(200)
})

test('the app port serves nothing but frames', async () => {
  for (const path of ['/', '/console/', '/v1/deploy', '/health', '/frame/', '/frame/x'])
    expect((await get(path)).status, path).toBe(404)
})

test('the API cannot be reached under the host name of the app port', async () => {
  const { status } = await daemon.api('GET', '/health', {
    key: null,
    headers: { host: `${APP_HOST}:${port}` },
  })
  expect(status).toBe(403)
})

test('the app port closes with the daemon', async () => {
  const other = await startTestDaemon()
  const { headers } = await other.api('GET', '/console/', { key: null })
  const used = Number(/:(\d+)$/.exec(String(headers['content-security-policy']))![1])
  await other.close()
  await expect(rawRequest(used, '/frame', {})).rejects.toThrow('ECONNREFUSED')
})
