import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
  UnauthorizedError as ModernUnauthorized,
} from '@modelcontextprotocol/client'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Mounted } from '../support/mounted.ts'
import { createClientMemory } from '../support/oauth-client.ts'
import { mountProtectedServer, protectedApplication } from '../support/protected-server.ts'
import { mountProxy } from '../support/proxy.ts'
import { startScriptedProvider } from '../support/scripted-provider.ts'

const DOCUMENT_URL = 'https://client.example/oauth/client.json'

let mounted: Mounted
let url: URL
let time = 0

beforeAll(async () => {
  const document = {
    client_id: DOCUMENT_URL,
    client_name: 'A client with a document',
    redirect_uris: ['http://127.0.0.1:1/callback'],
    token_endpoint_auth_method: 'none',
  }
  mounted = await mountProtectedServer({
    now: () => Date.now() / 1000 + time,
    clientMetadataDocuments: { fetch: async () => Response.json(document) },
  })
  url = new URL(`${mounted.issuer}/mcp`)
})
afterAll(() => mounted[Symbol.asyncDispose]())

async function callWithV1(memory: ReturnType<typeof createClientMemory>) {
  const client = new Client({ name: 'v1', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: memory }))
  const result = await client.callTool({ name: 'secret', arguments: {} })
  await client.close()
  return result.content
}

async function callWithV2(memory: ReturnType<typeof createClientMemory>) {
  const client = new ModernClient({ name: 'v2', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new ModernTransport(url, { authProvider: memory }))
  const result = await client.callTool({ name: 'secret', arguments: {} })
  await client.close()
  return result.content
}

const ANSWER = [{ type: 'text', text: 'forty-two' }]

test('the v1 client of the SDK finds the server, registers, signs in, calls a tool, and refreshes its token', async () => {
  const memory = createClientMemory()
  const transport = new StreamableHTTPClientTransport(url, { authProvider: memory })
  const client = new Client({ name: 'v1', version: '1.0.0' })
  await expect(client.connect(transport)).rejects.toThrow(UnauthorizedError)
  await transport.finishAuth((await memory.approveInBrowser()).get('code')!)
  expect(await callWithV1(memory)).toEqual(ANSWER)

  const { access_token: first } = memory.tokens()
  expect(decodeJwt(first)).toMatchObject({ iss: mounted.issuer, aud: url.href, sub: 'idp|ada' })
  time += 3700
  expect(await callWithV1(memory)).toEqual(ANSWER)
  expect(memory.tokens().access_token).not.toBe(first)
})

test('the v2 client of the SDK finds the server, registers, signs in, and checks the returned issuer', async () => {
  const memory = createClientMemory()
  const transport = new ModernTransport(url, { authProvider: memory })
  const client = new ModernClient({ name: 'v2', version: '1.0.0' })
  await expect(client.connect(transport)).rejects.toThrow(ModernUnauthorized)
  const answer = await memory.approveInBrowser()
  const mixedUp = new URLSearchParams(answer)
  mixedUp.set('iss', 'https://evil.example')
  await expect(transport.finishAuth(mixedUp)).rejects.toThrow(/iss/i)
  await transport.finishAuth(answer)
  expect(await callWithV2(memory)).toEqual(ANSWER)

  const { access_token: first } = memory.tokens()
  time += 3700
  expect(await callWithV2(memory)).toEqual(ANSWER)
  expect(memory.tokens().access_token).not.toBe(first)
})

test.each([
  ['v1', StreamableHTTPClientTransport, Client],
  ['v2', ModernTransport, ModernClient],
] as const)(
  'the %s client signs in through the proxy with an unregistered client id',
  async (_version, Transport, Class) => {
    await using provider = await startScriptedProvider('idp')
    await using proxy = await mountProxy({ providers: [provider.config] }, protectedApplication)
    const memory = createClientMemory()
    memory.saveClientInformation({ client_id: 'a client of this test', issuer: `${proxy.origin}/auth` })
    const url = new URL(`${proxy.origin}/mcp`)
    const transport = new Transport(url, { authProvider: memory })
    const client = new Class({ name: 'client', version: '1.0.0' })
    // biome-ignore lint/suspicious/noExplicitAny: the two SDKs have different types for transports.
    await expect(client.connect(transport as any)).rejects.toThrow(/unauthorized/i)
    const answer = await memory.approveInBrowser()
    await transport.finishAuth(answer.get('code')!, answer.get('iss')!)
    expect(decodeJwt(memory.tokens().access_token)).toMatchObject({
      iss: `${proxy.origin}/auth`,
      aud: url.href,
    })
    const signedIn = new Class({ name: 'client', version: '1.0.0' })
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    await signedIn.connect(new Transport(url, { authProvider: memory }) as any)
    expect((await signedIn.callTool({ name: 'secret', arguments: {} })).content).toEqual(ANSWER)
    await signedIn.close()
  },
)

test.each([
  ['v1', StreamableHTTPClientTransport, Client],
  ['v2', ModernTransport, ModernClient],
] as const)(
  'the %s client signs in with its metadata document instead of registering',
  async (_version, Transport, Class) => {
    const memory = createClientMemory(DOCUMENT_URL)
    const transport = new Transport(url, { authProvider: memory })
    const client = new Class({ name: 'client', version: '1.0.0' })
    // biome-ignore lint/suspicious/noExplicitAny: the two SDKs have different types for transports.
    await expect(client.connect(transport as any)).rejects.toThrow(/unauthorized/i)
    await transport.finishAuth((await memory.approveInBrowser()).get('code')!, mounted.issuer)
    expect(decodeJwt(memory.tokens().access_token)).toMatchObject({ client_id: DOCUMENT_URL })
  },
)
