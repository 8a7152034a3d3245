import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { memoryStorage } from '../../../../src/sdk/oauth/storage/memory.ts'
import type { RecordKind } from '../../../../src/sdk/oauth/storage/storage.ts'
import { createBrowser, type Page } from '../support/browser.ts'
import { approve, isCallback, openAuthorize, post, startFlow } from '../support/flow.ts'
import { CALLBACK, type Mounted, mountAuthorizationServer } from '../support/mounted.ts'

let mounted: Mounted
let base: string
let time = 0

beforeAll(async () => {
  mounted = await mountAuthorizationServer({
    now: () => Date.now() / 1000 + time,
    clients: [{ client_id: 'tool', client_name: '<script>alert("ü")</script>', redirect_uris: [CALLBACK] }],
  })
  base = `${mounted.issuer}/oauth`
})
afterAll(() => mounted[Symbol.asyncDispose]())
beforeEach(() => {
  time = 0
})

/** Approves the request. Returns the upstream URL to which the browser is redirected. */
async function untilUpstream(flow = startFlow(base)) {
  const page = await openAuthorize(flow)
  const upstream = await flow.browser.submit(page, { provider: 'idp' }, url => url.includes('/auth?'))
  return { flow, upstream: new URL(upstream.url) }
}

/** Signs in at the identity provider in another browser, up to the URL of our callback, which is not opened. */
async function untilOurCallback(url: string) {
  const back = await createBrowser().open(url, address => address.startsWith(`${base}/callback`))
  return back.url
}

test('the consent page cannot be framed, runs no scripts, sends no referrer to other sites and is not cached', async () => {
  const { headers, text, status } = await openAuthorize(startFlow(base))
  expect(status).toBe(200)
  const policy = headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe-inline')
  expect(headers.get('x-frame-options')).toBe('DENY')
  expect(headers.get('referrer-policy')).toBe('same-origin')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('access-control-allow-origin')).toBeNull()
  expect(text).toContain('&lt;script&gt;alert(&quot;ü&quot;)&lt;/script&gt;')
  expect(text).not.toContain('<script')
})

test('the identity provider is not contacted before the user approves', async () => {
  const flow = startFlow(base)
  await openAuthorize(flow)
  expect([...flow.browser.cookies.keys()]).toEqual([new URL(base).host])
})

test('requests without approval need no storage', async () => {
  const storage = memoryStorage({ maxRecords: 0 })
  mounted.restart({ storage })
  for (let turn = 0; turn < 20; turn++) expect((await openAuthorize(startFlow(base))).status).toBe(200)
  mounted.restart()
})

test('shows an error page without details when the storage is full', async () => {
  mounted.restart({ storage: memoryStorage({ maxRecords: 0 }) })
  const flow = startFlow(base)
  const page = await flow.browser.submit(await openAuthorize(flow), { provider: 'idp' })
  expect(page.status).toBe(500)
  expect(page.text).toContain('Internal error. Try again later.')
  mounted.restart()
})

test('a user who denies access returns to the client with access_denied', async () => {
  const flow = startFlow(base)
  const back = await flow.browser.submit(await openAuthorize(flow), { deny: '1' }, isCallback)
  const answer = new URL(back.url).searchParams
  expect(Object.fromEntries(answer)).toMatchObject({
    error: 'access_denied',
    state: flow.state,
    iss: mounted.issuer,
  })
})

test('rejects a form from another site or browser, and a changed or expired form', async () => {
  const flow = startFlow(base)
  const page = await openAuthorize(flow)
  const ticket = /name="ticket" value="([^"]+)"/.exec(page.text)![1]!
  const cookie = [...flow.browser.cookies.values()][0]!.get('mcp-consent')!
  const send = (form: Record<string, string>, headers: Record<string, string>) =>
    post(`${base}/consent`, { provider: 'idp', ticket, ...form }, headers).then(({ status }) => status)
  const own = { cookie: `mcp-consent=${cookie}` }

  expect(await send({}, {})).toBe(403)
  expect(await send({}, { cookie: `mcp-consent=${'x'.repeat(43)}` })).toBe(403)
  expect(await send({}, { ...own, origin: 'https://evil.example' })).toBe(403)
  expect(await send({}, { ...own, origin: 'null' })).toBe(403)
  expect(await send({ ticket: `${ticket.slice(0, -4)}AAAA` }, own)).toBe(403)
  expect(await send({ ticket: '' }, own)).toBe(403)
  time = 601
  expect(await send({}, own)).toBe(403)
})

test("an attacker's own ticket does not work in a victim's browser", async () => {
  const attacker = await openAuthorize(startFlow(base))
  const victim = startFlow(base)
  const page = await openAuthorize(victim)
  const forged: Page = { ...page, text: attacker.text }
  expect((await victim.browser.submit(forged, { provider: 'idp' }, isCallback)).status).toBe(403)
})

test('a sign-in cannot be finished in another browser', async () => {
  const { flow, upstream } = await untilUpstream()
  const callback = await untilOurCallback(upstream.href)
  const victim = createBrowser()
  const page = await victim.open(callback, isCallback)
  expect(page.status).toBe(400)
  expect(page.text).toContain('not started in this browser')
  // The victim's visit did not use up the callback either.
  const back = await flow.browser.open(callback, isCallback)
  expect(new URL(back.url).searchParams.get('code')).toBeTruthy()
})

test('a sign-in can only be finished once', async () => {
  const { flow, upstream } = await untilUpstream()
  const callback = await untilOurCallback(upstream.href)
  const cookies = new Map([...flow.browser.cookies].map(([host, jar]) => [host, new Map(jar)]))
  await flow.browser.open(callback, isCallback)
  for (const [host, jar] of cookies) flow.browser.cookies.set(host, jar)
  expect((await flow.browser.open(callback, isCallback)).status).toBe(400)
})

test('of two concurrent callbacks of a sign-in, only one succeeds', async () => {
  const storage = memoryStorage()
  const both = Promise.withResolvers<void>()
  let readers = 0
  mounted.restart({
    storage: {
      ...storage,
      // Both callbacks read the record before either continues, like two processes with one database.
      async get<T>(kind: RecordKind, key: string) {
        const found = await storage.get<T>(kind, key)
        if (kind === 'sign-in' && ++readers === 2) both.resolve()
        if (kind === 'sign-in') await both.promise
        return found
      },
    },
  })
  const { flow, upstream } = await untilUpstream()
  const callback = await untilOurCallback(upstream.href)
  const copies = [flow.browser, createBrowser()]
  for (const [host, jar] of flow.browser.cookies) copies[1]!.cookies.set(host, new Map(jar))
  const pages = await Promise.all(copies.map(browser => browser.open(callback, isCallback)))
  expect(pages.map(({ status }) => status).sort()).toEqual([0, 400])
  const back = pages.find(({ status }) => status === 0)!
  expect(new URL(back.url).searchParams.get('code')).toBeTruthy()
  mounted.restart()
})

test('rejects a callback with an unknown state', async () => {
  const page = await createBrowser().open(`${base}/callback?state=guess&code=guess`, isCallback)
  expect(page.status).toBe(400)
})

test('the upstream request has its own state, nonce and PKCE challenge, and not those of the client', async () => {
  const { flow, upstream } = await untilUpstream(startFlow(base, { state: 'state of the client' }))
  const { searchParams } = upstream
  expect(searchParams.get('redirect_uri')).toBe(`${base}/callback`)
  expect(searchParams.get('code_challenge_method')).toBe('S256')
  expect(searchParams.get('nonce')).toMatch(/^[\w-]{43}$/)
  expect(searchParams.get('state')).toMatch(/^[\w-]{43}$/)
  expect(searchParams.get('code_challenge')).not.toBe(
    new URL(flow.authorizeUrl).searchParams.get('code_challenge'),
  )
  expect(upstream.href).not.toContain('state+of+the+client')
})

test('concurrent sign-ins in one browser do not interfere', async () => {
  const browser = createBrowser()
  const flows = [startFlow(base, {}, browser), startFlow(base, {}, browser)]
  const pages = await Promise.all(flows.map(openAuthorize))
  const first = await approve(flows[1]!, pages[1]!)
  const second = await approve(flows[0]!, await openAuthorize(flows[0]!))
  expect(first.get('state')).toBe(flows[1]!.state)
  expect(second.get('state')).toBe(flows[0]!.state)
  expect(first.get('code')).not.toBe(second.get('code'))
})

test.each([
  ['an unknown client', { client_id: 'nobody' }],
  ['no client', { client_id: undefined }],
  ['a redirect URI that is not registered', { redirect_uri: 'https://evil.example/callback' }],
  [
    'a redirect URI that resembles the registered one',
    { redirect_uri: 'http://127.0.0.1@evil.example/callback' },
  ],
  ['a scheme that runs code', { redirect_uri: 'javascript:alert(1)' }],
])('answers a request with %s with a page, never with a redirect', async (_name, parameters) => {
  const { authorizeUrl } = startFlow(base, parameters)
  const response = await fetch(authorizeUrl, { redirect: 'manual' })
  expect(response.status).toBe(400)
  expect(response.headers.get('location')).toBeNull()
  expect(await response.text()).not.toContain('evil.example')
})

test('rejects a repeated parameter without a redirect', async () => {
  const { authorizeUrl } = startFlow(base)
  const twice = `${authorizeUrl}&redirect_uri=${encodeURIComponent('https://evil.example/')}`
  expect((await fetch(twice, { redirect: 'manual' })).status).toBe(400)
})

test.each([
  ['response_type', { response_type: 'token' }, 'unsupported_response_type'],
  ['response_mode', { response_mode: 'fragment' }, 'invalid_request'],
  ['scope', { scope: 'openid admin' }, 'invalid_scope'],
  ['resource', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
  ['request', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
  ['prompt', { prompt: 'none' }, 'interaction_required'],
  ['provider', { provider: 'other' }, 'invalid_request'],
])('reports an invalid %s to the client', async (_name, parameters, error) => {
  const flow = startFlow(base, parameters)
  const answer = new URL((await openAuthorize(flow)).url).searchParams
  expect(Object.fromEntries(answer)).toMatchObject({ error, state: flow.state, iss: mounted.issuer })
})

test('answers the consent form with 303, so that the browser does not send it again', async () => {
  const flow = startFlow(base)
  const page = await openAuthorize(flow)
  const ticket = /name="ticket" value="([^"]+)"/.exec(page.text)![1]!
  const cookie = `mcp-consent=${[...flow.browser.cookies.values()][0]!.get('mcp-consent')}`
  const body = new URLSearchParams({ ticket, provider: 'idp' })
  const response = await fetch(`${base}/consent`, {
    method: 'POST',
    body,
    headers: { cookie },
    redirect: 'manual',
  })
  expect(response.status).toBe(303)
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(response.headers.getSetCookie().join()).toMatch(
    /mcp-sign-in-[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax/,
  )
})
