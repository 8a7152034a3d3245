import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { createBrowser } from '../../sdk/oauth/support/browser.ts'
import {
  close,
  type IdentityProvider,
  listen,
  startIdentityProvider,
} from '../../sdk/oauth/support/identity-provider.ts'

const PROGRAM = fileURLToPath(new URL('../../../node_modules/.bin/conformance', import.meta.url))

let daemon: TestDaemon
let provider: IdentityProvider
let issuer: string
beforeAll(async () => {
  daemon = await startTestDaemon()
  provider = await startIdentityProvider(`${daemon.url}/auth/hello/staging/oauth/callback`)
  const tools = [{ name: 'hello', description: 'Says hello', inputSchema: { type: 'object' } }]
  const built = await daemon.api('POST', '/v1/build', { body: { name: 'hello', template: 'basic', tools } })
  const { clientId: client_id, clientSecret: client_secret } = provider.config
  const auth = { provider: 'openid', issuer: provider.issuer, client_id, client_secret }
  const deployed = await daemon.api('POST', '/v1/deploy', {
    body: { mcp_id: built.body.data.mcp_id, environment: 'staging', config: { auth } },
  })
  issuer = deployed.body.data.sign_in.issuer
})
afterAll(async () => {
  await daemon.close()
  await provider[Symbol.asyncDispose]()
})

test('the authorization server of a deployment passes both scenarios of the MCP conformance suite', async () => {
  const port = await freePort()
  const suite = spawn(process.execPath, [
    PROGRAM,
    'authorization',
    ...['--url', issuer, '--client-id', await register(port), '--port', String(port)],
  ])
  try {
    const output = collectOutput(suite)
    const [code] = await once(suite, 'close')
    expect(code, output()).toBe(0)
    expect(output()).toMatch(/Total: 3 passed, 0 failed/)
  } finally {
    suite.kill()
  }
})

async function register(port: number): Promise<string> {
  const registered = await fetch(`${issuer}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'The suite',
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
      token_endpoint_auth_method: 'none',
    }),
  })
  return ((await registered.json()) as { client_id: string }).client_id
}

/** Collects the output of the suite, and signs in at the URL that it prints for its user. */
function collectOutput(suite: ChildProcess): () => string {
  let output = ''
  let isVisited = false
  const read = (chunk: Buffer) => {
    output += chunk
    const url = new RegExp(`${issuer}/oauth/authorize\\?\\S+(?=\\s)`).exec(output)?.[0]
    if (url && !isVisited) void signIn(url)
    isVisited ||= url !== undefined
  }
  suite.stdout!.on('data', read)
  suite.stderr!.on('data', read)
  return () => output
}

async function signIn(url: string): Promise<void> {
  const browser = createBrowser()
  await browser.submit(await browser.open(url), { provider: 'idp' })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await listen(server)
  const { port } = server.address() as AddressInfo
  await close(server)
  return port
}
