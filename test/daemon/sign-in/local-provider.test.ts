import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { LocalProvider } from '../../../src/daemon/sign-in/local-provider.ts'

const ORIGIN = 'http://127.0.0.1:6273'
const CALLBACK = `${ORIGIN}/auth/weather/production/oauth/callback`
const VERIFIER = 'a verifier of this test'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

let provider: LocalProvider
beforeEach(() => {
  provider = new LocalProvider({
    origin: ORIGIN,
    deriveKey: purpose => `key of ${purpose}`,
    users: key => (key === 'mcp_good' ? { id: 'usr_1', name: 'Ada <b>' } : undefined),
  })
})

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return provider.fetch(new Request(`${ORIGIN}${path}`, { headers }))
}

function post(path: string, fields: Record<string, string>): Promise<Response> {
  return provider.fetch(
    new Request(`${ORIGIN}${path}`, { method: 'POST', body: new URLSearchParams(fields) }),
  )
}

function pagePath(changes: Record<string, string> = {}): string {
  const parameters = {
    client_id: 'mcp-hosting',
    redirect_uri: CALLBACK,
    state: 'a state',
    code_challenge: CHALLENGE,
    ...changes,
  }
  return `/sign-in?${new URLSearchParams(parameters)}`
}

async function signIn(): Promise<string> {
  const back = await post(pagePath(), { key: 'mcp_good' })
  return new URL(back.headers.get('location')!).searchParams.get('code')!
}

function redeem(code: string, changes: Record<string, string> = {}): Promise<Response> {
  return post('/sign-in/token', {
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    client_secret: provider.config.clientSecret,
    ...changes,
  })
}

describe('the sign-in page of the daemon', () => {
  it('redirects a user with an API key to the callback with a code for that user', async () => {
    const back = await post(pagePath(), { key: ' mcp_good ' })
    expect(back.status).toBe(303)
    const location = new URL(back.headers.get('location')!)
    expect(location.href.startsWith(`${CALLBACK}?`)).toBe(true)
    expect(location.searchParams.get('state')).toBe('a state')
    const redeemed = await redeem(location.searchParams.get('code')!)
    const { access_token } = (await redeemed.json()) as { access_token: string }
    const user = await get('/sign-in/user', { authorization: `Bearer ${access_token}` })
    expect(await user.json()).toEqual({ sub: 'usr_1', name: 'Ada <b>' })
  })

  it('the sign-in page rejects an invalid API key and cannot be framed', async () => {
    const refused = await post(pagePath(), { key: 'mcp_bad' })
    expect(refused.status).toBe(403)
    expect(refused.headers.get('location')).toBeNull()
    const page = await get(pagePath())
    expect(page.status).toBe(200)
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  })

  it('redirects only to the authorization servers of this daemon', async () => {
    for (const redirect_uri of [
      'https://evil.example/auth/weather/production/oauth/callback',
      `${ORIGIN}/auth/weather/production/oauth/authorize`,
      `${ORIGIN}@evil.example/auth/weather/production/oauth/callback`,
      'nothing',
    ]) {
      expect((await get(pagePath({ redirect_uri }))).status).toBe(400)
      expect((await post(pagePath({ redirect_uri }), { key: 'mcp_good' })).status).toBe(400)
    }
    expect((await get(pagePath({ client_id: 'another' }))).status).toBe(400)
  })

  it('escapes the parameters of the sign-in page', async () => {
    const page = await get(pagePath({ state: '"><script>' }))
    expect(await page.text()).not.toContain('<script>')
  })
})

describe('an authorization code from the daemon', () => {
  it('an authorization code can be used once', async () => {
    const code = await signIn()
    expect((await redeem(code)).status).toBe(200)
    expect((await redeem(code)).status).toBe(400)
  })

  it.each<Record<string, string>>([
    { code_verifier: 'another' },
    { client_secret: 'another' },
    { redirect_uri: `${ORIGIN}/auth/news/production/oauth/callback` },
  ])('an authorization code is rejected with %o', async changes => {
    expect((await redeem(await signIn(), changes)).status).toBe(400)
  })

  it('a forged access token is rejected', async () => {
    const forged = Buffer.from(JSON.stringify({ id: 'usr_1', expiresAt: 1e15 })).toString('base64url')
    for (const authorization of [`Bearer ${forged}.`, `Bearer ${forged}.AAAA`, 'Bearer x', ''])
      expect((await get('/sign-in/user', { authorization })).status).toBe(401)
  })
})
