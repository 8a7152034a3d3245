import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SqliteStorage, sqliteStorage } from '../../../src/sdk/oauth/storage/sqlite.ts'
import { isCallback, openAuthorize, redeem, refresh, startFlow, type Tokens } from './support/flow.ts'
import { type Mounted, mountAuthorizationServer } from './support/mounted.ts'

const folder = mkdtempSync(join(tmpdir(), 'oauth-restart-'))
const path = join(folder, 'oauth.db')
let storage: SqliteStorage
let mounted: Mounted
let base: string

beforeAll(async () => {
  storage = sqliteStorage({ path })
  mounted = await mountAuthorizationServer({
    storage,
    enableDCR: true,
    refreshTokenTTL: 3600,
    signing: { algorithm: 'ES256' },
  })
  base = `${mounted.issuer}/oauth`
})
afterAll(async () => {
  await mounted[Symbol.asyncDispose]()
  storage.close()
  rmSync(folder, { recursive: true })
})

function restart(): void {
  storage.close()
  storage = sqliteStorage({ path })
  mounted.restart({ storage })
}

async function register(): Promise<string> {
  const response = await fetch(`${base}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: ['http://127.0.0.1:1/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    }),
  })
  return ((await response.json()) as { client_id: string }).client_id
}

test('a restart between any two steps of a sign-in invalidates nothing that was issued', async () => {
  const client_id = await register()
  restart()
  const flow = startFlow(base, { client_id })
  const page = await openAuthorize(flow)
  restart()
  const upstream = await flow.browser.submit(page, { provider: 'idp' }, url => url.includes('/auth?'))
  restart()
  const atOurs = await flow.browser.open(upstream.url, url => url.startsWith(`${base}/callback`))
  restart()
  const back = await flow.browser.open(atOurs.url, isCallback)
  const code = new URL(back.url).searchParams.get('code')!
  restart()
  const first = (await (
    await redeem(base, flow, code, { client_id, redirect_uri: undefined })
  ).json()) as Tokens
  restart()
  const second = (await (await refresh(base, first.refresh_token!, { client_id })).json()) as Tokens
  restart()
  expect(await mounted.server.verifyAccessToken(first.access_token, undefined)).toMatchObject({ client_id })
  expect(await mounted.server.upstreamAccount(second.access_token)).toMatchObject({ subject: 'idp|ada' })
  expect((await refresh(base, second.refresh_token!, { client_id })).status).toBe(200)
  restart()
  expect((await refresh(base, first.refresh_token!, { client_id })).status).toBe(400)
  restart()
  await expect(mounted.server.verifyAccessToken(second.access_token, undefined)).rejects.toThrow('revoked')
})

test('the database contains no plaintext codes or tokens, not even those of the identity provider', async () => {
  const flow = startFlow(base)
  const back = await flow.browser.submit(await openAuthorize(flow), { provider: 'idp' }, isCallback)
  const code = new URL(back.url).searchParams.get('code')!
  const beforeRedeeming = readEverything()
  const tokens = (await (await redeem(base, flow, code)).json()) as Tokens
  const account = await mounted.server.upstreamAccount(tokens.access_token)
  const text = beforeRedeeming + readEverything()
  expect(text).toContain('tool')
  for (const secret of [
    code,
    tokens.access_token,
    tokens.refresh_token!,
    account.tokens.access_token,
    account.tokens.id_token!,
    'Ada Lovelace',
    'ada@example.com',
  ]) {
    expect(text.includes(secret)).toBe(false)
  }
})

function readEverything(): string {
  return ['', '-wal'].map(suffix => readFileSync(path + suffix, 'latin1')).join('')
}
