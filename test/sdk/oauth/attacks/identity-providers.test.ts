import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OAuthEvent } from '../../../../src/sdk/oauth/oauth-event.ts'
import { approve, openAuthorize, startFlow } from '../support/flow.ts'
import { type MountedProxy, mountProxy } from '../support/proxy.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'

let honest: ScriptedProvider
let evil: ScriptedProvider
let plain: ScriptedProvider
let proxy: MountedProxy
const events: OAuthEvent[] = []

beforeAll(async () => {
  honest = await startScriptedProvider('honest')
  evil = await startScriptedProvider('evil')
  plain = await startScriptedProvider('plain', 'plain')
  proxy = await mountProxy({
    providers: [honest.config, evil.config, plain.config],
    log: event => events.push(event),
  })
})
afterAll(async () => {
  for (const part of [proxy, honest, evil, plain]) await part[Symbol.asyncDispose]()
})
beforeEach(() => {
  events.length = 0
  for (const provider of [honest, evil, plain]) {
    provider.script = {}
    provider.tokenRequests.length = 0
  }
})

async function outcome(provider: string) {
  const answer = await approve(startFlow(`${proxy.origin}/auth`), undefined, provider)
  return answer.get('error') ?? (answer.has('code') ? 'code' : 'nothing')
}

test('signs users in with honest providers', async () => {
  expect(await outcome('honest')).toBe('code')
  expect(await outcome('plain')).toBe('code')
  expect(honest.tokenRequests[0]!.get('code_verifier')).toMatch(/^[\w-]{43}$/)
})

test('the code of one provider is never sent to another one (mix-up)', async () => {
  // The user chose the malicious provider, which redirected to the honest one. This is the honest provider's response.
  evil.script = { callback: { iss: honest.origin, code: 'code of the honest one' } }
  expect(await outcome('evil')).toBe('access_denied')
  expect(evil.tokenRequests).toEqual([])
})

test('with a callback URL per provider, rejects a response at the wrong URL, even without iss', async () => {
  await using distinct = await mountProxy({
    providers: [evil.config, plain.config],
    distinctCallbacks: true,
  })
  const flow = startFlow(`${distinct.origin}/auth`)
  const page = await openAuthorize(flow)
  const isCallback = (url: string) => url.startsWith(`${distinct.origin}/auth/callback`)
  const back = await flow.browser.submit(page, { provider: 'plain' }, isCallback)
  expect(new URL(back.url).pathname).toBe('/auth/callback/plain')
  const mixedUp = back.url.replace('/callback/plain', '/callback/evil')
  const answer = await flow.browser.open(mixedUp, url => url.startsWith('http://127.0.0.1/'))
  expect(new URL(answer.url).searchParams.get('error')).toBe('access_denied')
  expect(evil.tokenRequests).toEqual([])
  expect(plain.tokenRequests).toEqual([])
})

test("accepts an issuer from a plain provider only on the provider's own host", async () => {
  plain.script = { callback: { iss: `${plain.origin}/login/oauth` } }
  expect(await outcome('plain')).toBe('code')
  plain.script = { callback: { iss: honest.origin } }
  expect(await outcome('plain')).toBe('access_denied')
})

const hour = 3600
const now = Math.floor(Date.now() / 1000)

test.each([
  ['from another issuer', { iss: 'https://evil.example' }],
  ['for another client', { aud: 'somebody else' }],
  [
    'for several clients, with another client as the authorized party',
    { aud: ['component at honest', 'x'], azp: 'x' },
  ],
  ['with another nonce', { nonce: 'of another sign-in' }],
  ['without a nonce', { nonce: undefined }],
  ['that has expired', { exp: now - hour }],
  ['without a user', { sub: undefined }],
  ['for another user than in the user info', { sub: 'eve' }],
])('rejects an ID token %s', async (_name, idToken) => {
  honest.script = { idToken }
  expect(await outcome('honest')).toBe('access_denied')
  expect(events.map(({ type }) => type)).toEqual(['sign-in-failed'])
})

test('rejects an ID token with a wrong or missing signature', async () => {
  honest.script = { isForging: true }
  expect(await outcome('honest')).toBe('access_denied')
  for (const rawIdToken of ['eyJhbGciOiJub25lIn0.e30.', 'junk']) {
    honest.script = { rawIdToken }
    expect(await outcome('honest')).toBe('access_denied')
  }
})

test('reports a failure of the provider to the client, without its message', async () => {
  honest.script = { callback: { code: undefined, error: 'access_denied', error_description: 'secret words' } }
  const answer = await approve(startFlow(`${proxy.origin}/auth`), undefined, 'honest')
  expect(Object.fromEntries(answer)).toMatchObject({
    error: 'access_denied',
    error_description: 'Signing in with Scripted honest failed.',
  })
  honest.script = { tokenStatus: 400 }
  expect(await outcome('honest')).toBe('access_denied')
})

test('rejects a plain provider that does not identify the user', async () => {
  plain.script = { userInfo: { name: 'Ada' } }
  expect(await outcome('plain')).toBe('access_denied')
})

test('a failed sign-in logs no code, token, state or secret', async () => {
  for (const script of [
    { idToken: { nonce: 'x' } },
    { tokenStatus: 500 },
    { callback: { iss: 'https://evil.example' } },
    { rawIdToken: 'eyJhbGciOiJub25lIn0.e30.' },
  ]) {
    honest.script = script
    await outcome('honest')
  }
  const text = inspect(events, { depth: null, showHidden: true })
  expect(events).toHaveLength(4)
  expect(events[0]!.reason).toContain('OAUTH_JWT_CLAIM_COMPARISON_FAILED')
  for (const secret of ['code-of-honest', 'upstream-', 'secret at honest', 'eyJ', 'a session secret']) {
    expect(text).not.toContain(secret)
  }
})
