import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, expect, test } from 'vitest'
import { approve, redeem, startFlow, type Tokens } from '../../sdk/oauth/support/flow.ts'
import { close, listen, startIdentityProvider } from '../../sdk/oauth/support/identity-provider.ts'
import { createClientMemory } from '../../sdk/oauth/support/oauth-client.ts'

const examples = fileURLToPath(new URL('../../../examples', import.meta.url))

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Example {
  url: string
  restart(): Promise<void>
}

async function startExample(name: string, callbackPath: string): Promise<Example> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const folder = mkdtempSync(join(tmpdir(), 'oauth-example-'))
  const provider = await startIdentityProvider(origin + callbackPath)
  const env = {
    PORT: String(port),
    DATABASE: join(folder, 'oauth.db'),
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.config.clientId,
    OIDC_CLIENT_SECRET: provider.config.clientSecret,
    SIGNING_SECRET: 'a signing secret of more than thirty-two bytes',
    SESSION_SECRET: 'a session secret of more than thirty-two bytes',
  }
  let program = await startProgram(join(examples, name, 'server.js'), env)
  closers.push(
    async () => rmSync(folder, { recursive: true }),
    async () => provider[Symbol.asyncDispose](),
    () => stop(program),
  )
  return {
    url: `${origin}/mcp`,
    async restart() {
      await stop(program)
      program = await startProgram(join(examples, name, 'server.js'), env)
    },
  }
}

/** Starts an example and waits until it prints its URL. */
async function startProgram(file: string, env: Record<string, string>): Promise<ChildProcess> {
  const program = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(program, 'exit').then(([code]) => {
    throw new Error(`${file} exited with ${code}`)
  })
  await Promise.race([once(program.stdout!, 'data'), ended])
  ended.catch(() => {}) // The program is stopped at the end of the test.
  return program
}

async function stop(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return
  program.kill()
  await once(program, 'exit')
}

async function freePort(): Promise<number> {
  const server = createServer()
  await listen(server)
  const { port } = server.address() as AddressInfo
  await close(server)
  return port
}

test('examples/oauth-express signs a user in and keeps the sign-in across a restart', async () => {
  const example = await startExample('oauth-express', '/oauth/callback')
  const memory = createClientMemory()
  const transport = new StreamableHTTPClientTransport(new URL(example.url), { authProvider: memory })
  const client = new Client({ name: 'test', version: '1.0.0' })
  await expect(client.connect(transport)).rejects.toThrow('Unauthorized')
  await transport.finishAuth((await memory.approveInBrowser(undefined, 'company')).get('code')!)
  await example.restart()

  const signedIn = new Client({ name: 'test', version: '1.0.0' })
  await signedIn.connect(new StreamableHTTPClientTransport(new URL(example.url), { authProvider: memory }))
  const { content } = await signedIn.callTool({ name: 'whoami' })
  expect(content).toEqual([{ type: 'text', text: 'You are company|ada, with openid, profile, email.' }])
  await signedIn.close()
})

test('examples/oauth-hono lists tools without a sign-in and requires one for protected tools', async () => {
  const { url } = await startExample('oauth-hono', '/auth/callback')
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['whoami'])
  const refused = await client.callTool({ name: 'whoami' })
  const metadataUrl = url.replace('/mcp', '/.well-known/oauth-protected-resource/mcp')
  expect(refused).toMatchObject({
    isError: true,
    _meta: { 'mcp/www_authenticate': [expect.stringContaining(`resource_metadata="${metadataUrl}"`)] },
  })

  const flow = startFlow(url.replace('/mcp', '/auth'), { resource: url })
  const code = (await approve(flow, undefined, 'company')).get('code')!
  const tokens = (await (await redeem(url.replace('/mcp', '/auth'), flow, code)).json()) as Tokens
  expect(tokens.user_id).toBe('ada')
  const _meta = { authorization: { token: tokens.access_token } }
  const { content } = await client.callTool({ name: 'whoami', _meta })
  expect(content).toEqual([{ type: 'text', text: 'You are company|ada.' }])
  await client.close()
})
