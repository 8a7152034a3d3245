import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'

let daemon: TestDaemon
let page: string
beforeAll(async () => {
  daemon = await startTestDaemon()
  page = (await get('/console/')).text
})
afterAll(() => daemon.close())

function get(path: string, headers: Record<string, string> = {}) {
  return daemon.api('GET', path, { key: null, headers })
}

/** URLs of the scripts, styles and icons of the page. */
function assets(): string[] {
  return [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!)
}

test('the page needs no key and is the same for any path below /console', async () => {
  expect(page).toContain('<div id="root">')
  for (const path of ['/console/servers/weather', '/console/a/b/c?env=staging', '/console/%2e%2e%2fsecret'])
    expect((await get(path)).text).toBe(page)
  const bare = await get('/console')
  expect([bare.status, bare.headers.location]).toEqual([308, '/console/'])
})

test('the page can only load and run its own files, and cannot be framed', async () => {
  const { headers } = await get('/console/')
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'self'; .*frame-ancestors 'none'; require-trusted-types-for 'script'/,
  )
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style|style=| on\w+=/)
})

test('browsers cache assets for a year, because their names contain a hash of their content', async () => {
  const urls = assets()
  const kinds = urls.map(url => url.split('.').at(-1))
  expect(new Set(kinds)).toEqual(new Set(['svg', 'css', 'js']))
  for (const url of urls) {
    const answer = await get(url)
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    expect(answer.text.length).toBeGreaterThan(50)
  }
})

test('answers 304 when the browser has the current page, and compresses it on request', async () => {
  const { headers } = await get('/console/')
  const again = await get('/console/', { 'if-none-match': headers.etag! })
  expect([again.status, again.text]).toEqual([304, ''])
  const response = await fetch(`${daemon.url}/console/`, { headers: { 'accept-encoding': 'gzip' } })
  expect(response.headers.get('content-encoding')).toBe('gzip')
  expect(await response.text()).toBe(page)
})

test('only files of the console are served, and the error for an old name suggests a reload', async () => {
  for (const name of [
    '..%2findex.html',
    '..%2f..%2fdaemon.js',
    '%5c..%5cindex.html',
    'index.html',
    'main.js.gz',
  ])
    expect((await get(`/console/assets/${name}`)).status, name).toBe(404)
  const { status, body } = await get('/console/assets/main-OLD.js')
  expect([status, body.error.code]).toEqual([404, 'NOT_FOUND'])
  expect(body.error.details).toBe('After an update of mcp-hosting, reload the page.')
})

test('rejects a rebound host name', async () => {
  const { status, body } = await get('/console/', { host: 'evil.example' })
  expect([status, body.error.code]).toEqual([403, 'FORBIDDEN'])
})

test('the console supports only GET and HEAD', async () => {
  expect((await daemon.api('POST', '/console/', { body: {} })).status).toBe(404)
  const head = await daemon.api('HEAD', '/console/', { key: null })
  expect([head.status, head.text]).toEqual([200, ''])
})
