import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isCallback, openAuthorize, post, redeem, refresh, startFlow, type Tokens } from './support/flow.ts'
import { close, type IdentityProvider, listen, startIdentityProvider } from './support/identity-provider.ts'

const PROGRAM = fileURLToPath(new URL('../../fixtures/oauth-process.ts', import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'oauth-killed-'))
let port: number
let base: string
let provider: IdentityProvider
let child: ChildProcess | undefined

beforeAll(async () => {
  port = await freePort()
  base = `http://127.0.0.1:${port}/oauth`
  provider = await startIdentityProvider(`${base}/callback`)
  await start()
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await provider[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

async function start(): Promise<void> {
  const args = [PROGRAM, String(port), join(folder, 'oauth.db'), JSON.stringify(provider.config)]
  child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout!, 'data')
}

/** Kills the process, so that it cannot write anything more, and starts it again. */
async function killAndStart(): Promise<void> {
  child!.kill('SIGKILL')
  await once(child!, 'close')
  await start()
}

async function freePort(): Promise<number> {
  const server = createServer()
  await listen(server)
  const { port } = server.address() as AddressInfo
  await close(server)
  return port
}

/** Verifies the token as a resource server does. */
async function isActive(token: string): Promise<boolean> {
  const form = { token, client_id: 'resource-server', client_secret: 'its secret' }
  return ((await (await post(`${base}/introspect`, form)).json()) as { active: boolean }).active
}

test('killing the process between any two steps of a sign-in invalidates nothing that was issued', async () => {
  const registered = await fetch(`${base}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: ['http://127.0.0.1:1/callback'],
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['authorization_code', 'refresh_token'],
    }),
  })
  const { client_id, client_secret } = (await registered.json()) as {
    client_id: string
    client_secret: string
  }
  const client = { client_id, client_secret }
  await killAndStart()
  const flow = startFlow(base, { client_id })
  const page = await openAuthorize(flow)
  await killAndStart()
  const upstream = await flow.browser.submit(page, { provider: 'idp' }, url => url.includes('/auth?'))
  await killAndStart()
  const atOurs = await flow.browser.open(upstream.url, url => url.startsWith(`${base}/callback`))
  await killAndStart()
  const back = await flow.browser.open(atOurs.url, isCallback)
  const code = new URL(back.url).searchParams.get('code')!
  await killAndStart()
  const more = { ...client, redirect_uri: undefined }
  const first = (await (await redeem(base, flow, code, more)).json()) as Tokens
  await killAndStart()
  expect(await isActive(first.access_token)).toBe(true)
  const second = (await (await refresh(base, first.refresh_token!, client)).json()) as Tokens
  await killAndStart()
  expect(await isActive(first.access_token)).toBe(true)
  expect((await post(`${base}/revoke`, { token: first.access_token, ...client })).status).toBe(200)
  await killAndStart()
  expect(await isActive(first.access_token)).toBe(false)
  expect(await isActive(second.access_token)).toBe(true)
  // Spent codes stay spent: reusing the code revokes its tokens.
  expect((await redeem(base, flow, code, more)).status).toBe(400)
  await killAndStart()
  expect(await isActive(second.access_token)).toBe(false)
  expect((await refresh(base, second.refresh_token!, client)).status).toBe(400)
}, 120_000)
