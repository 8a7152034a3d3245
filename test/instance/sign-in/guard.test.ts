import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TenantAuth } from '../../../src/shared/instances/instance-protocol.ts'
import { type ServedProgram, serveProgram } from '../../helpers/instance/programs.ts'

const ISSUER = 'http://127.0.0.1:6273/auth/test/production'
const HTTP_PROGRAM = new URL('../../fixtures/programs/http-server.mjs', import.meta.url).pathname

const pair = await generateKeyPair('EdDSA', { extractable: true })
const stranger = await generateKeyPair('EdDSA', { extractable: true })
const auth: TenantAuth = {
  issuer: ISSUER,
  keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'EdDSA' }],
  requiredScopes: ['openid'],
  scopes: ['openid', 'email'],
  revoked: {},
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '0' },
  },
}

function send(url: string, token?: string, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify(initialize),
  })
}

interface Changes {
  issuer?: string
  audience?: string
  scope?: string
  kid?: string
  typ?: string
  expires?: string
  key?: typeof pair.privateKey
}

function tokenFor(url: string, changes: Changes = {}): Promise<string> {
  const { issuer = ISSUER, audience = url, scope = 'openid', expires = '5m' } = changes
  const { kid = 'k', typ = 'at+jwt', key = pair.privateKey } = changes
  return new SignJWT({ scope, client_id: 'tool', jti: 'grant.1' })
    .setProtectedHeader({ alg: 'EdDSA', typ, kid })
    .setSubject('idp|ada')
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(key)
}

describe.each([
  ['a program over stdio', {}],
  ['a program over HTTP', { type: 'http' as const, args: [HTTP_PROGRAM] }],
])('a protected server: %s', (_name, program) => {
  let served: ServedProgram
  beforeAll(async () => {
    served = await serveProgram(program, { auth, allowedOrigins: ['https://app.example'] })
  })
  afterAll(() => served.close())

  it('a protected server serves requests with a valid token', async () => {
    expect((await send(served.url, await tokenFor(served.url))).status).toBe(200)
  })

  it('a protected server rejects all requests without a valid token', async () => {
    const wrong: Changes[] = [
      { issuer: 'http://127.0.0.1:6273/auth/other/production' },
      { audience: 'http://127.0.0.1:1/mcp' },
      { expires: '-1m' },
      { typ: 'JWT' },
      { kid: 'another' },
      { key: stranger.privateKey },
    ]
    expect((await send(served.url)).status).toBe(401)
    for (const changes of wrong) {
      const answer = await send(served.url, await tokenFor(served.url, changes))
      expect([changes, answer.status]).toEqual([changes, 401])
      expect(answer.headers.get('www-authenticate')).toMatch(/resource_metadata=.*error="invalid_token"/)
    }
    expect((await send(served.url, await tokenFor(served.url, { scope: 'email' }))).status).toBe(403)
  })

  it('a protected server serves only /health and its resource metadata without a token', async () => {
    const { origin } = new URL(served.url)
    expect((await fetch(`${origin}/health`)).status).toBe(200)
    const metadata = await fetch(`${origin}/.well-known/oauth-protected-resource/mcp`)
    expect(await metadata.json()).toEqual({
      resource: served.url,
      authorization_servers: [ISSUER],
      scopes_supported: ['openid', 'email'],
      bearer_methods_supported: ['header'],
      resource_name: 'test',
    })
    expect((await fetch(`${origin}/anything`)).status).toBe(401)
    expect((await send(served.url, undefined, { origin: 'https://evil.example' })).status).toBe(403)
  })

  it('a protected server answers pages from an allowed origin: preflight, challenge and result', async () => {
    const origin = 'https://app.example'
    const asked = { origin, 'access-control-request-method': 'POST' }
    const preflight = await fetch(served.url, { method: 'OPTIONS', headers: asked })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin])
    const challenge = await send(served.url, undefined, { origin })
    expect(challenge.status).toBe(401)
    expect(challenge.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate')
    const answer = await send(served.url, await tokenFor(served.url), { origin })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id')
  })
})
