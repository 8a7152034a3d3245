import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildFolder, deployFolder } from '../../helpers/daemon/custom-server.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { createBrowser } from '../../sdk/oauth/support/browser.ts'
import { type IdentityProvider, startIdentityProvider } from '../../sdk/oauth/support/identity-provider.ts'
import { createClientMemory } from '../../sdk/oauth/support/oauth-client.ts'

const WHO = `export default {
  description: 'Who calls',
  handler: (_args, context) => JSON.stringify({ ...context.auth, claims: context.auth.claims.aud }),
}`

let daemon: TestDaemon
let provider: IdentityProvider
let folder: string
let port: number
/** A server with handler modules and an external identity provider. */
let who: { deployment_id: string; url: string; sign_in: { issuer: string; callback_url: string } }

beforeAll(async () => {
  daemon = await startTestDaemon({ namedPorts: { http: 0, https: 0 } })
  port = daemon.daemon.port
  provider = await startIdentityProvider(`${daemon.url}/auth/who/production/oauth/callback`)
  folder = mkdtempSync(join(tmpdir(), 'mcp-who-'))
  mkdirSync(join(folder, 'tools'))
  writeFileSync(join(folder, 'tools/who.ts'), WHO)
  who = await deployFolder(daemon, 'who', folder, { config: { auth: upstream() } })
})
afterAll(async () => {
  await daemon.close()
  await provider[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const upstream = () => ({
  provider: 'openid',
  issuer: provider.issuer,
  client_id: provider.config.clientId,
  client_secret: provider.config.clientSecret,
})

type Memory = ReturnType<typeof createClientMemory>

const ERAS = [
  ['v1', StreamableHTTPClientTransport, Client],
  ['v2', ModernTransport, ModernClient],
] as const

async function signIn(url: string, [, Transport, Class]: (typeof ERAS)[number]): Promise<Memory> {
  const memory = createClientMemory()
  const transport = new Transport(new URL(url), { authProvider: memory })
  const client = new Class({ name: 'client', version: '1.0.0' })
  // biome-ignore lint/suspicious/noExplicitAny: the two SDKs have different types for transports.
  await expect(client.connect(transport as any)).rejects.toThrow(/unauthorized/i)
  const answer = await memory.approveInBrowser()
  await transport.finishAuth(answer.get('code')!, answer.get('iss')!)
  return memory
}

async function callWho(url: string, memory: Memory, [, Transport, Class]: (typeof ERAS)[number]) {
  const client = new Class({ name: 'client', version: '1.0.0' })
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  await client.connect(new Transport(new URL(url), { authProvider: memory }) as any)
  const { content } = await client.callTool({ name: 'who', arguments: {} })
  await client.close()
  return JSON.parse((content as { text: string }[])[0]!.text)
}

/** Sends a legacy `tools/list` over a new connection. Accepts any answer. */
function list(url: string, token?: string): Promise<{ status: number; challenge: string | undefined }> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-06-18',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent: false }, response => {
      response.resume()
      resolve({ status: response.statusCode!, challenge: response.headers['www-authenticate'] })
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
  })
}

describe('a protected deployment', () => {
  it.each(ERAS)(
    'a protected deployment signs in users of the %s SDK and passes their identity to the handler code',
    async (...given) => {
      const era = given as unknown as (typeof ERAS)[number]
      const memory = await signIn(who.url, era)
      expect(await callWho(who.url, memory, era)).toMatchObject({
        subject: 'idp|ada',
        clientId: expect.any(String),
        scopes: expect.arrayContaining(['openid']),
        claims: who.url,
      })
      expect(decodeJwt(memory.tokens().access_token)).toMatchObject({ iss: who.sign_in.issuer, aud: who.url })
    },
  )

  it('a protected deployment answers 401 with the URL of its metadata before a sign-in, but reports its health', async () => {
    const origin = new URL(who.url).origin
    const refused = await list(who.url)
    expect(refused.status).toBe(401)
    const metadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`
    expect(refused.challenge).toBe(`Bearer resource_metadata="${metadataUrl}", scope="openid"`)
    for (const url of [metadataUrl, `${origin}/.well-known/oauth-protected-resource`])
      expect(await (await fetch(url)).json()).toMatchObject({
        resource: who.url,
        authorization_servers: [who.sign_in.issuer],
      })
    expect((await fetch(`${origin}/health`)).status).toBe(200)
    expect((await list(who.url, 'no.good.token')).status).toBe(401)
  })

  it('a protected deployment rejects tokens for another server or another host name', async () => {
    const memory = await signIn(who.url, ERAS[1])
    const token = memory.tokens().access_token
    const other = await deployFolder(daemon, 'other', folder, {
      config: { auth: { provider: 'local', scopes: ['tools:call'], required_scopes: ['tools:call'] } },
    })
    expect((await list(other.url, token)).status).toBe(401)
    expect((await list(who.url.replace('127.0.0.1', 'localhost'), token)).status).toBe(401)
  })

  it('a protected deployment keeps clients, grants and keys when the daemon restarts', async () => {
    const memory = await signIn(who.url, ERAS[1])
    const before = memory.tokens()
    await daemon.restart({ port })
    expect(await callWho(who.url, memory, ERAS[1])).toMatchObject({ subject: 'idp|ada' })
    expect(memory.tokens()).toEqual(before)
    const refreshed = await fetch(`${who.sign_in.issuer}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: before.refresh_token,
        client_id: memory.clientInformation().client_id,
      }),
    })
    expect(refreshed.status).toBe(200)
    const { access_token } = (await refreshed.json()) as { access_token: string }
    expect((await list(who.url, access_token)).status).toBe(400)
  })

  it('a protected deployment is a separate resource under its named URL', async () => {
    const { body } = await daemon.api('GET', '/v1/deploy?name=who&status=deployed')
    const named = (body.data.items[0].named_urls as string[]).find(url => url.startsWith('http:'))!
    const local = named.replace(/\/\/[^:]+/, '//127.0.0.1')
    const host = new URL(named).host
    const answer = await new Promise<string>((resolve, reject) => {
      const sent = request(
        local.replace('/mcp', '/.well-known/oauth-protected-resource/mcp'),
        { headers: { host } },
        response => {
          let text = ''
          response.on('data', chunk => {
            text += chunk
          })
          response.on('end', () => resolve(text))
        },
      )
      sent.on('error', reject)
      sent.end()
    })
    expect(JSON.parse(answer).resource).toBe(named)
  })

  it('a protected release closes connections of a previous release that required no sign-in', async () => {
    const { mcp_id } = await buildFolder(daemon, 'later', folder)
    const deploy = (config: object) =>
      daemon.api('POST', '/v1/deploy', { body: { mcp_id, environment: 'production', config } })
    const open = await deploy({})
    const { port } = new URL(open.body.data.url)
    const socket = connect(Number(port), '127.0.0.1')
    const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`
    socket.write(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
    await once(socket, 'data')
    // A draining instance would wait for the rest of this request.
    socket.write(`${head}Accept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{`)
    const closed = once(socket, 'close')
    await deploy({ auth: { provider: 'local' } })
    await closed
    expect((await list(open.body.data.url)).status).toBe(401)
  })

  it('the status of a protected deployment masks the client secret of its identity provider', async () => {
    const { text } = await daemon.api('GET', `/v1/deploy/${who.deployment_id}/status`)
    expect(text).toContain('"client_secret":"********"')
    expect(text).not.toContain(provider.config.clientSecret)
  })

  it('a deployment with an incomplete identity provider is rejected with every problem', async () => {
    const { body } = await daemon.api('GET', `/v1/deploy/${who.deployment_id}/status`)
    const refused = await daemon.api('POST', '/v1/deploy', {
      body: {
        mcp_id: body.data.mcp_id,
        environment: 'staging',
        config: { auth: { provider: 'keycloak', client_id: 'x', url: 'http://id.example.com' } },
      },
    })
    expect(refused.status).toBe(400)
    expect(refused.body.error.details).toBe(
      'config.auth.client_secret: required; config.auth.realm: required; config.auth.url: must be an https URL (http on loopback only)',
    )
  })

  it('a release of a protected deployment can require another scope, and a rollback reverts this', async () => {
    const token = (await signIn(who.url, ERAS[1])).tokens().access_token
    const { body } = await daemon.api('GET', `/v1/deploy/${who.deployment_id}/status`)
    const changed = await daemon.api('POST', '/v1/deploy', {
      body: {
        mcp_id: body.data.mcp_id,
        environment: 'production',
        config: { auth: { ...upstream(), required_scopes: ['admin'] } },
      },
    })
    const refused = await list(who.url, token)
    expect(refused.status).toBe(403)
    expect(refused.challenge).toMatch(/error="insufficient_scope"/)
    const back = await daemon.api('POST', `/v1/deploy/${changed.body.data.deployment_id}/rollback`)
    expect(back.status).toBe(201)
    expect((await list(who.url, token)).status).toBe(400)
  })
})

describe('the daemon as identity provider', () => {
  it('the daemon as identity provider signs in only users with an API key', async () => {
    const deployed = await deployFolder(daemon, 'mine', folder, {
      environment: 'development',
      config: { auth: { provider: 'local' } },
    })
    const memory = createClientMemory()
    let authorization = ''
    memory.redirectToAuthorization = url => {
      authorization = url.href
    }
    const transport = new ModernTransport(new URL(deployed.url), { authProvider: memory })
    const client = new ModernClient({ name: 'client', version: '1.0.0' })
    await expect(client.connect(transport)).rejects.toThrow(/unauthorized/i)
    const browser = createBrowser()
    const isBack = (url: string) => url.startsWith(memory.redirectUrl)
    const consent = await browser.open(authorization)
    const page = await browser.submit(consent, { provider: 'local' })
    expect(page.text).toContain('Sign in to this machine')
    const wrong = await browser.submit(page, { key: 'mcp_wrong' }, isBack)
    expect(wrong.status).toBe(403)
    const back = await browser.submit(wrong, { key: daemon.ownerKey }, isBack)
    const answer = new URL(back.url).searchParams
    await transport.finishAuth(answer.get('code')!, answer.get('iss')!)
    expect(await callWho(deployed.url, memory, ERAS[1])).toMatchObject({
      subject: expect.stringMatching(/^local\|/),
    })
  })

  it('the daemon as identity provider redirects only to its own authorization servers', async () => {
    const parameters = {
      client_id: 'mcp-hosting',
      redirect_uri: 'https://evil.example/auth/a/production/oauth/callback',
      state: 's',
      code_challenge: 'c',
    }
    const page = await fetch(`${daemon.url}/sign-in?${new URLSearchParams(parameters)}`)
    expect(page.status).toBe(400)
  })
})
