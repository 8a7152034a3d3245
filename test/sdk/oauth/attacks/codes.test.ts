import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OAuthEvent } from '../../../../src/sdk/oauth/oauth-event.ts'
import {
  approve,
  challengeOf,
  errorOf,
  type Flow,
  post,
  redeem,
  refresh,
  signIn,
  startFlow,
  type Tokens,
} from '../support/flow.ts'
import { CALLBACK, type Mounted, mountAuthorizationServer } from '../support/mounted.ts'

const INVALID_GRANT = { status: 400, error: 'invalid_grant' }

let mounted: Mounted
let base: string
let time = 0
const events: OAuthEvent[] = []

beforeAll(async () => {
  mounted = await mountAuthorizationServer({
    refreshTokenTTL: 1000,
    revocation: true,
    now: () => Date.now() / 1000 + time,
    log: event => events.push(event),
    clients: [
      { client_id: 'tool', redirect_uris: [CALLBACK] },
      { client_id: 'other', redirect_uris: [CALLBACK] },
      { client_id: 'short', redirect_uris: [CALLBACK], grant_types: ['authorization_code'] },
      { client_id: 'confidential', client_secret: 'a secret', redirect_uris: [CALLBACK] },
    ],
  })
  base = `${mounted.issuer}/oauth`
})
afterAll(() => mounted[Symbol.asyncDispose]())
beforeEach(() => {
  time = 0
  events.length = 0
})

async function getCode(parameters: Record<string, string> = {}): Promise<{ flow: Flow; code: string }> {
  const flow = startFlow(base, parameters)
  return { flow, code: (await approve(flow)).get('code')! }
}

const isActive = (token: string) =>
  mounted.server.verifyAccessToken(token, undefined).then(
    () => true,
    () => false,
  )

/** Sends the request eight times without connections, so that the requests run in lockstep. */
function atOnce(form: Record<string, string>): Promise<Response[]> {
  const send = () =>
    mounted.server.fetch(new Request(`${base}/token`, { method: 'POST', body: new URLSearchParams(form) }))
  return Promise.all(Array.from({ length: 8 }, send))
}

test('rejects a reused code and revokes its tokens', async () => {
  const { flow, code } = await getCode()
  const tokens = (await (await redeem(base, flow, code)).json()) as Tokens
  expect(await isActive(tokens.access_token)).toBe(true)
  expect(await errorOf(await redeem(base, flow, code))).toEqual(INVALID_GRANT)
  expect(await isActive(tokens.access_token)).toBe(false)
  expect(await errorOf(await refresh(base, tokens.refresh_token!))).toEqual(INVALID_GRANT)
  expect(events.map(({ type }) => type)).toEqual(['code-reused'])
})

test('one of many concurrent requests with the same code gets a token, which is revoked', async () => {
  const { flow, code } = await getCode()
  const answers = await atOnce({
    grant_type: 'authorization_code',
    client_id: 'tool',
    code,
    code_verifier: flow.verifier,
  })
  const successes = answers.filter(({ status }) => status === 200)
  expect(successes).toHaveLength(1)
  const tokens = (await successes[0]!.json()) as Tokens
  expect(await isActive(tokens.access_token)).toBe(false)
})

test('a stolen code is useless without its verifier, and failed attempts do not invalidate it', async () => {
  const { flow, code } = await getCode()
  const thief = startFlow(base)
  expect(await errorOf(await redeem(base, thief, code))).toEqual(INVALID_GRANT)
  const challenge = { code_verifier: challengeOf(flow.verifier) }
  expect(await errorOf(await redeem(base, flow, code, challenge))).toEqual(INVALID_GRANT)
  const none = await errorOf(await redeem(base, flow, code, { code_verifier: undefined }))
  expect(none).toEqual({ status: 400, error: 'invalid_request' })
  expect((await redeem(base, flow, code)).status).toBe(200)
})

test('rejects a code that was issued for another client or redirect_uri', async () => {
  const { flow, code } = await getCode()
  expect(await errorOf(await redeem(base, flow, code, { client_id: 'other' }))).toEqual(INVALID_GRANT)
  const elsewhere = { redirect_uri: 'http://127.0.0.1:2/callback' }
  expect(await errorOf(await redeem(base, flow, code, elsewhere))).toEqual(INVALID_GRANT)
})

test('rejects a code from another sign-in of the same client because of its challenge', async () => {
  const [victim, attacker] = [await getCode(), await getCode()]
  expect(await errorOf(await redeem(base, attacker.flow, victim.code))).toEqual(INVALID_GRANT)
})

test('a code expires after a minute', async () => {
  const { flow, code } = await getCode()
  time = 61
  expect(await errorOf(await redeem(base, flow, code))).toEqual(INVALID_GRANT)
})

test.each([
  ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
  ['with the method "plain"', { code_challenge_method: 'plain' }],
  ['with a challenge without a method, which means "plain"', { code_challenge_method: undefined }],
  ['with an invalid challenge', { code_challenge: 'short' }],
])('issues no code %s', async (_name, parameters) => {
  const flow = startFlow(base, parameters)
  const page = await flow.browser.open(flow.authorizeUrl, url => url.startsWith(CALLBACK))
  const answer = new URL(page.url).searchParams
  expect(answer.get('error')).toBe('invalid_request')
  expect(answer.get('state')).toBe(flow.state)
  expect(answer.get('iss')).toBe(mounted.issuer)
})

test('each use replaces a refresh token, and reuse revokes the whole grant', async () => {
  const first = await signIn(base)
  const second = (await (await refresh(base, first.refresh_token!)).json()) as Tokens
  const third = (await (await refresh(base, second.refresh_token!)).json()) as Tokens
  expect(new Set([first, second, third].map(tokens => tokens.refresh_token)).size).toBe(3)
  expect(await isActive(third.access_token)).toBe(true)

  // Long after the first use, when only the current refresh token is stored.
  time = 700
  expect(await errorOf(await refresh(base, first.refresh_token!))).toEqual(INVALID_GRANT)
  expect(await errorOf(await refresh(base, third.refresh_token!))).toEqual(INVALID_GRANT)
  expect(await isActive(third.access_token)).toBe(false)
  expect(events.map(({ type }) => type)).toEqual(['refresh-token-reused'])
})

test('exactly one of many concurrent refreshes succeeds, and its token family is revoked', async () => {
  const { refresh_token } = await signIn(base)
  const answers = await atOnce({
    grant_type: 'refresh_token',
    client_id: 'tool',
    refresh_token: refresh_token!,
  })
  const successes = answers.filter(({ status }) => status === 200)
  expect(successes).toHaveLength(1)
  const tokens = (await successes[0]!.json()) as Tokens
  expect(await errorOf(await refresh(base, tokens.refresh_token!))).toEqual(INVALID_GRANT)
})

test('a refresh token only works for its client, scope and resource', async () => {
  const { refresh_token } = await signIn(base, { scope: 'openid' })
  const tried = (parameters: Record<string, string>) =>
    refresh(base, refresh_token!, parameters).then(response => errorOf(response))
  expect(await tried({ client_id: 'other' })).toEqual(INVALID_GRANT)
  expect(await tried({ scope: 'openid email' })).toEqual({ status: 400, error: 'invalid_scope' })
  expect(await tried({ resource: 'https://evil.example' })).toEqual({ status: 400, error: 'invalid_target' })
  expect((await refresh(base, refresh_token!)).status).toBe(200)
})

test('an invalid refresh token revokes nothing', async () => {
  const { refresh_token } = await signIn(base)
  const [grantId, , mac] = refresh_token!.split('.')
  for (const forged of [
    `${grantId}.1.${mac}`,
    `${grantId}.0.${'A'.repeat(43)}`,
    `${grantId}.00.${mac}x`,
    grantId!,
    '',
  ]) {
    expect((await refresh(base, forged)).status).toBe(400)
  }
  expect(await errorOf(await refresh(base, refresh_token!, { client_id: 'other' }))).toEqual(INVALID_GRANT)
  expect((await refresh(base, refresh_token!)).status).toBe(200)
})

test('a client that registered without refresh tokens gets none', async () => {
  const tokens = await signIn(base, { client_id: 'short' })
  expect(tokens).not.toHaveProperty('refresh_token')
  const other = await signIn(base)
  const answer = await refresh(base, other.refresh_token!, { client_id: 'short' })
  expect(await errorOf(answer)).toEqual({ status: 400, error: 'unauthorized_client' })
})

test('an unused refresh token expires', async () => {
  const { refresh_token } = await signIn(base)
  time = 1001
  expect(await errorOf(await refresh(base, refresh_token!))).toEqual(INVALID_GRANT)
})

test('a client with a secret must authenticate with exactly one method', async () => {
  const { flow, code } = await getCode({ client_id: 'confidential' })
  const send = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    post(
      `${base}/token`,
      {
        grant_type: 'authorization_code',
        code,
        code_verifier: flow.verifier,
        redirect_uri: CALLBACK,
        ...form,
      },
      headers,
    )
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
  const refused = { status: 401, error: 'invalid_client' }
  expect(await errorOf(await send({ client_id: 'confidential' }))).toEqual(refused)
  expect(await errorOf(await send({ client_id: 'confidential', client_secret: 'wrong' }))).toEqual(refused)
  expect(await errorOf(await send({}, basic('confidential:a secret2')))).toEqual(refused)
  expect(await errorOf(await send({}))).toEqual(refused)
  expect(await errorOf(await send({}, { authorization: 'Bearer x' }))).toEqual(refused)
  const both = await send({ client_secret: 'a secret' }, basic('confidential:a+secret'))
  expect(await errorOf(both)).toEqual({ status: 400, error: 'invalid_request' })
  const wrong = await send({}, basic('confidential:wrong'))
  expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic /)
  expect((await send({}, basic('confidential:a+secret'))).status).toBe(200)
})

test('rejects a public client that sends a secret', async () => {
  const { flow, code } = await getCode()
  const answer = await redeem(base, flow, code, { client_secret: 'guess' })
  expect(await errorOf(answer)).toEqual({ status: 401, error: 'invalid_client' })
})

test('rejects a revoked access token, and all tokens of a grant whose refresh token is revoked', async () => {
  const tokens = await signIn(base)
  const again = (await (await refresh(base, tokens.refresh_token!)).json()) as Tokens
  const revoke = (token: string, client_id = 'tool') => post(`${base}/revoke`, { token, client_id })
  expect((await revoke(again.access_token, 'other')).status).toBe(200)
  expect(await isActive(again.access_token)).toBe(true)
  expect((await revoke(again.access_token)).status).toBe(200)
  expect(await isActive(again.access_token)).toBe(false)
  expect(await isActive(tokens.access_token)).toBe(true)

  expect((await revoke(again.refresh_token!, 'other')).status).toBe(200)
  expect(await isActive(tokens.access_token)).toBe(true)
  expect((await revoke(again.refresh_token!)).status).toBe(200)
  expect(await isActive(tokens.access_token)).toBe(false)
  expect(await errorOf(await refresh(base, again.refresh_token!))).toEqual(INVALID_GRANT)
  expect((await revoke('unknown')).status).toBe(200)
})

test('still rejects a revoked token during the clock tolerance after its expiry', async () => {
  const [single, whole] = [await signIn(base), await signIn(base)]
  await post(`${base}/revoke`, { token: single.access_token, client_id: 'tool' })
  await post(`${base}/revoke`, { token: whole.refresh_token, client_id: 'tool' })
  time = single.expires_in + 2
  expect(await isActive(single.access_token)).toBe(false)
  expect(await isActive(whole.access_token)).toBe(false)
})
