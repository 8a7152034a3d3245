import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post, rpc } from '../../helpers/clients/mcp-requests.ts'
import { createHome, eventually, type TestHome } from '../../helpers/daemon/mcp.ts'
import { isRunning } from '../../helpers/processes.ts'
import {
  isCallback,
  openAuthorize,
  redeem,
  refresh,
  startFlow,
  type Tokens,
} from '../../sdk/oauth/support/flow.ts'
import { close, listen } from '../../sdk/oauth/support/identity-provider.ts'

/** A real daemon process, killed in the middle of a sign-in. */
let home: TestHome
let deployed: { url: string; sign_in: { issuer: string } }
beforeAll(async () => {
  home = createHome()
  // Issuers contain the port, so the restarted daemon needs the same one.
  home.env.MCP_PORT = String(await freePort())
  const folder = join(home.dir, 'who')
  mkdirSync(join(folder, 'tools'), { recursive: true })
  writeFileSync(join(folder, 'tools/who.ts'), `export default { description: 'Who', handler: () => 'you' }`)
  deployed = await home.json(['deploy', folder, '--auth', 'local'])
})
afterAll(() => home.remove())

async function freePort(): Promise<number> {
  const server = createServer()
  await listen(server)
  const { port } = server.address() as AddressInfo
  await close(server)
  return port
}

async function killDaemon(): Promise<void> {
  const { pid } = home.discovery()!
  process.kill(pid, 'SIGKILL')
  await eventually(() => !isRunning(pid))
  await home.json(['daemon', 'start'])
}

test('killing the daemon between any two steps of a sign-in invalidates nothing that was issued', async () => {
  const base = `${deployed.sign_in.issuer}/oauth`
  const registered = await fetch(`${base}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    }),
  })
  const { client_id } = (await registered.json()) as { client_id: string }
  await killDaemon()
  const flow = startFlow(base, { client_id })
  const consent = await openAuthorize(flow)
  await killDaemon()
  const keyPage = await flow.browser.submit(consent, { provider: 'local' })
  await killDaemon()
  const isOurs = (url: string) => url.startsWith(`${base}/callback`)
  const atOurs = await flow.browser.submit(keyPage, { key: home.apiKey() }, isOurs)
  await killDaemon()
  const back = await flow.browser.open(atOurs.url, isCallback)
  const code = new URL(back.url).searchParams.get('code')!
  await killDaemon()
  const first = (await (await redeem(base, flow, code, { client_id })).json()) as Tokens
  await killDaemon()
  expect(await statusWith(first)).toBe(200)
  const second = (await (await refresh(base, first.refresh_token!, { client_id })).json()) as Tokens
  await killDaemon()
  expect(await statusWith(second)).toBe(200)
  expect((await refresh(base, first.refresh_token!, { client_id })).status).toBe(400)
}, 120_000)

async function statusWith({ access_token }: Tokens): Promise<number> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const headers = { authorization: `Bearer ${access_token}` }
  return (await post(deployed.url, rpc('initialize', params), headers)).status
}
