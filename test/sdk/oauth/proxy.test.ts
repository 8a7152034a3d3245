import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OAuthEvent } from '../../../src/sdk/oauth/oauth-event.ts'
import { createOAuthProxy } from '../../../src/sdk/oauth/oauth-proxy.ts'
import type { TokenMapper } from '../../../src/sdk/oauth/tokens/token-mapper.ts'
import { approve, errorOf, openAuthorize, redeem, startFlow, type Tokens } from './support/flow.ts'
import { type MountedProxy, mountProxy } from './support/proxy.ts'
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts'

let openid: ScriptedProvider
let plain: ScriptedProvider
let proxy: MountedProxy
let base: string
let mapper: TokenMapper
const events: OAuthEvent[] = []

beforeAll(async () => {
  openid = await startScriptedProvider('openid')
  plain = await startScriptedProvider('plain', 'plain')
  proxy = await mountProxy({
    providers: [openid.config, plain.config],
    tokenMapper: (tokens, userInfo, provider) => mapper(tokens, userInfo, provider),
    tokenTTL: 600,
    log: event => events.push(event),
  })
  base = `${proxy.origin}/auth`
})
afterAll(async () => {
  for (const part of [proxy, openid, plain]) await part[Symbol.asyncDispose]()
})
beforeEach(() => {
  mapper = () => ({})
  events.length = 0
})

async function signInWith(provider: string): Promise<Response> {
  const flow = startFlow(base, { client_id: 'any client' })
  const answer = await approve(flow, undefined, provider)
  return redeem(base, flow, answer.get('code')!, { client_id: 'any client' })
}

test('the proxy lists its providers', async () => {
  expect(await (await fetch(`${base}/providers`)).json()).toEqual([
    { id: 'openid', name: 'Scripted openid' },
    { id: 'plain', name: 'Scripted plain' },
  ])
})

test('the proxy lets the user choose a provider, unless the client chose one', async () => {
  const both = await openAuthorize(startFlow(base))
  expect(both.text).toContain('Continue with Scripted openid')
  expect(both.text).toContain('Continue with Scripted plain')
  const one = await openAuthorize(startFlow(base, { provider: 'plain' }))
  expect(one.text).not.toContain('Scripted openid')
})

test('the proxy issues its own tokens for every provider', async () => {
  for (const [id, subject] of [
    ['openid', 'openid|ada'],
    ['plain', 'plain|ada'],
  ] as const) {
    const tokens = (await (await signInWith(id)).json()) as Tokens
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 600 })
    expect(decodeJwt(tokens.access_token)).toMatchObject({ iss: base, sub: subject, client_id: 'any client' })
  }
})

test("the proxy returns the token mapper's result", async () => {
  mapper = (tokens, userInfo, provider) => ({
    access_token: `session for ${userInfo.name} of ${provider.id} (${tokens.token_type})`,
    token_type: 'Bearer',
    expires_in: 60,
    user_id: userInfo.sub,
  })
  expect(await (await signInWith('openid')).json()).toEqual({
    access_token: 'session for Ada of openid (bearer)',
    token_type: 'Bearer',
    expires_in: 60,
    user_id: 'ada',
    scope: 'openid profile email',
  })
})

test('the proxy adds its own access token when the mapper returns none', async () => {
  mapper = async () => ({ user_id: 'u1' })
  const tokens = (await (await signInWith('openid')).json()) as Tokens
  expect(tokens).toMatchObject({ user_id: 'u1', expires_in: 600 })
  expect(decodeJwt(tokens.access_token).iss).toBe(base)
})

test.each(['access_token', 'refresh_token', 'id_token'])(
  "rejects a token mapper that returns the provider's %s",
  async name => {
    mapper = tokens => ({ access_token: 'mine', extra: { nested: tokens[name] } })
    const answer = await signInWith('openid')
    expect(await errorOf(answer)).toEqual({ status: 500, error: 'server_error' })
    expect(events.map(({ type }) => type)).toEqual(['token-mapper-failed'])
  },
)

test('reports a failing token mapper without details', async () => {
  mapper = () => {
    throw new Error('database password is hunter2')
  }
  const answer = await signInWith('plain')
  expect(answer.status).toBe(500)
  expect(await answer.text()).not.toContain('hunter2')
})

describe('clients that are not configured', () => {
  test("clients that are not configured can only redirect to programs on the user's computer", async () => {
    const elsewhere = startFlow(base, { redirect_uri: 'https://evil.example/callback' })
    expect((await openAuthorize(elsewhere)).status).toBe(400)
    const own = await openAuthorize(startFlow(base, { redirect_uri: 'http://localhost:1234/any/path' }))
    expect(own.text).toContain('a program on this computer (localhost:1234)')
    expect(own.text).toContain('Continue only if you started this sign-in yourself.')
  })

  test('with a list of redirect URIs, clients that are not configured can redirect only to listed URIs', async () => {
    await using listed = await mountProxy({
      providers: [openid.config],
      redirectUris: ['https://app.example/done'],
    })
    const status = async (redirect_uri: string) =>
      (await openAuthorize(startFlow(`${listed.origin}/auth`, { redirect_uri }))).status
    expect(await status('https://app.example/done')).toBe(200)
    expect(await status('https://app.example/other')).toBe(400)
    expect(await status('http://127.0.0.1:1/callback')).toBe(400)
  })
})

test('a configured client can skip the consent page, but not with a manipulated redirect URI', async () => {
  await using trusting = await mountProxy({
    providers: [openid.config],
    clients: [{ client_id: 'own', redirect_uris: ['http://127.0.0.1/callback'], skipConsent: true }],
  })
  const flow = startFlow(`${trusting.origin}/auth`, { client_id: 'own' })
  expect(new URL((await openAuthorize(flow)).url).searchParams.get('code')).toBeTruthy()
  const trick = startFlow(`${trusting.origin}/auth`, {
    client_id: 'own',
    redirect_uri: 'http://127.0.0.1/evil',
  })
  expect((await openAuthorize(trick)).status).toBe(400)
})

test('the metadata of the proxy has no registration endpoint', async () => {
  const metadata = await (await fetch(`${proxy.origin}/.well-known/oauth-authorization-server/auth`)).json()
  expect(metadata).toMatchObject({ issuer: base, authorization_endpoint: `${base}/authorize` })
  expect(metadata).not.toHaveProperty('registration_endpoint')
})

test.each([
  [{ baseUrl: 'https://app.example' }, 'https://app.example/auth'],
  [{ baseUrl: 'https://app.example/' }, 'https://app.example/auth'],
  [{ baseUrl: 'https://app.example/sign-in/' }, 'https://app.example/sign-in'],
  [{ baseUrl: 'https://app.example', basePath: '/a/b' }, 'https://app.example/a/b'],
  [{ baseUrl: 'https://app.example', basePath: '' }, 'https://app.example'],
])('the options %j result in the issuer %s', (where, issuer) => {
  const options = { sessionSecret: 'x'.repeat(32), providers: [openid.config], ...where }
  const made = createOAuthProxy(options)
  expect(made.issuer).toBe(issuer)
  expect(made.has(`${new URL(issuer).pathname.replace(/\/$/, '')}/token`)).toBe(true)
})
