import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { approve, openAuthorize, startFlow } from './support/flow.ts'
import { CALLBACK, type Mounted, mountAuthorizationServer } from './support/mounted.ts'
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts'

let mounted: Mounted
let provider: ScriptedProvider
let time = 0

beforeAll(async () => {
  provider = await startScriptedProvider('idp')
  mounted = await mountAuthorizationServer({
    rememberConsentSeconds: 1000,
    upstreamProvider: provider.config,
    now: () => Date.now() / 1000 + time,
    clients: [
      { client_id: 'tool', redirect_uris: [CALLBACK, 'https://tool.example/cb'] },
      { client_id: 'other', redirect_uris: [CALLBACK] },
    ],
  })
})
afterAll(async () => {
  await mounted[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const start = (browser = createBrowser(), parameters: Record<string, string> = {}) =>
  startFlow(`${mounted.issuer}/oauth`, parameters, browser)

async function browserWithConsent() {
  const browser = createBrowser()
  await approve(start(browser))
  return browser
}

/** Sends an authorization request. True if it needs no consent page. */
async function passes(browser = createBrowser(), parameters: Record<string, string> = {}) {
  return (await openAuthorize(start(browser, parameters))).text === ''
}

test('remembers the consent to the same request in the same browser until it expires', async () => {
  const browser = await browserWithConsent()
  expect(await passes(browser)).toBe(true)
  expect(await passes()).toBe(false)
  time = 1001
  expect(await passes(browser)).toBe(false)
  time = 0
})

test('remembers the consent to a loopback client at another port', async () => {
  const browser = await browserWithConsent()
  const answer = await openAuthorize(start(browser, { redirect_uri: 'http://127.0.0.1:1/callback' }))
  expect(new URL(answer.url).searchParams.has('code')).toBe(true)
})

test.each([
  ['client', { client_id: 'other' }],
  ['redirect URI', { redirect_uri: 'https://tool.example/cb' }],
  ['scope', { scope: 'openid' }],
])('asks for consent again for another %s', async (_name, parameters) => {
  const browser = await browserWithConsent()
  const page = await openAuthorize(start(browser, parameters))
  expect(page.text).toContain('<form')
})

test('asks for consent again when the client requests it', async () => {
  const browser = await browserWithConsent()
  expect(await passes(browser, { prompt: 'consent' })).toBe(false)
  expect(await passes(browser)).toBe(true)
})

test('asks another user in the same browser for consent', async () => {
  const browser = await browserWithConsent()
  provider.script = { idToken: { sub: 'eve' }, userInfo: { sub: 'eve' } }
  const flow = start(browser)
  const page = await openAuthorize(flow)
  expect(page.text).toContain('tool wants to sign you in')
  const answer = await approve(flow, page)
  expect(answer.get('code')).toBeTruthy()
  provider.script = {}
})

test('ignores a remembered consent that was changed or encrypted with another secret', async () => {
  const browser = await browserWithConsent()
  const jar = browser.cookies.get(new URL(mounted.issuer).host)!
  const sealed = jar.get('mcp-consents')!
  // Does not change the last character, because some of its bits are unused.
  const [start, changed, end] = [sealed.slice(0, -10), sealed.at(-10) === 'A' ? 'B' : 'A', sealed.slice(-9)]
  jar.set('mcp-consents', start + changed + end)
  expect(await passes(browser)).toBe(false)
  jar.set('mcp-consents', sealed)
  mounted.restart({ signingSecret: 'another secret of more than thirty-two bytes' })
  expect(await passes(browser)).toBe(false)
  mounted.restart()
})

test('asks for consent each time without rememberConsentSeconds', async () => {
  mounted.restart({ rememberConsentSeconds: undefined })
  expect(await passes(await browserWithConsent())).toBe(false)
})
