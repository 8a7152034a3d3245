import { createHmac, generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt, type JSONWebKeySet, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeListener } from '../../../../src/sdk/oauth/adapters/node.ts'
import {
  type AuthorizationServer,
  createAuthorizationServer,
} from '../../../../src/sdk/oauth/authorization-server.ts'
import {
  createProtectedResource,
  type ProtectedResource,
} from '../../../../src/sdk/oauth/resource/protected-resource.ts'
import { createTokenVerifier, type IssuerKeys } from '../../../../src/sdk/oauth/resource/token-verifier.ts'
import { memoryStorage } from '../../../../src/sdk/oauth/storage/memory.ts'
import { approve, errorOf, post, redeem, signIn, startFlow, type Tokens } from '../support/flow.ts'
import { close, listen } from '../support/identity-provider.ts'
import { CALLBACK, type Mounted, mountAuthorizationServer, SIGNING_SECRET } from '../support/mounted.ts'

type Keys = (issuer: string) => IssuerKeys

const forms: Record<string, ['HS256' | 'ES256' | 'EdDSA', Keys]> = {
  'HS256 and the secret': ['HS256', issuer => ({ issuer, signingSecret: SIGNING_SECRET })],
  'ES256 and a JWKS': ['ES256', issuer => ({ issuer, jwksUri: `${issuer}/oauth/jwks`, algorithm: 'ES256' })],
  'EdDSA and a JWKS': ['EdDSA', issuer => ({ issuer, jwksUri: `${issuer}/oauth/jwks`, algorithm: 'EdDSA' })],
}

describe.each(Object.entries(forms))('with %s', (_name, [algorithm, keys]) => {
  let mounted: Mounted
  let resource: ProtectedResource
  let token: string

  beforeAll(async () => {
    mounted = await mountAuthorizationServer({ signing: { algorithm } })
    const { issuer } = mounted
    const scopes = ['openid']
    resource = createProtectedResource({
      resource: `${issuer}/mcp`,
      authorizationServer: keys(issuer),
      requiredScopes: scopes,
    })
    token = (await signIn(`${issuer}/oauth`, { resource: `${issuer}/mcp` })).access_token
  })
  afterAll(() => mounted[Symbol.asyncDispose]())

  async function answerTo(authorization: string | undefined) {
    const auth = await resource.authenticate(authorization)
    if ('token' in auth) return auth.extra.subject
    return { status: auth.status, challenge: auth.headers.get('www-authenticate') }
  }
  const metadata = () =>
    `resource_metadata="${mounted.issuer}/.well-known/oauth-protected-resource/mcp", scope="openid"`
  const invalid = () => ({
    status: 401,
    challenge: `Bearer ${metadata()}, error="invalid_token", error_description="The token is invalid."`,
  })
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test('accepts a valid token with any case of the scheme', async () => {
    expect(await answerTo(`Bearer ${token}`)).toBe('idp|ada')
    expect(await answerTo(`bearer ${token}`)).toBe('idp|ada')
  })

  test('answers a request without a token with a challenge that contains no error', async () => {
    const challenge = { status: 401, challenge: `Bearer ${metadata()}` }
    for (const header of [undefined, '', 'Bearer', `Basic ${token}`, `Bearer ${token} ${token}`]) {
      expect(await answerTo(header)).toEqual(challenge)
    }
  })

  test('rejects a token with the algorithm "none", a changed payload or no signature', async () => {
    const [, payload] = token.split('.')
    for (const alg of ['none', 'None', 'NONE']) {
      expect(await answerTo(`Bearer ${encode({ alg, typ: 'at+jwt' })}.${payload}.`)).toMatchObject({
        status: 401,
      })
    }
    const changed = encode({ ...decodeJwt(token), sub: 'idp|root' })
    const [header, , signature] = token.split('.')
    expect(await answerTo(`Bearer ${header}.${changed}.${signature}`)).toEqual(invalid())
    expect(await answerTo(`Bearer ${header}.${payload}.`)).toMatchObject({ status: 401 })
  })

  test('never uses a public key as a secret', async () => {
    const published = await fetch(`${mounted.issuer}/oauth/jwks`)
    const jwks = (published.ok ? await published.json() : { keys: [{ kid: 'x' }] }) as JSONWebKeySet
    const key = jwks.keys[0]!
    const head = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: key.kid })}.${token.split('.')[1]}`
    for (const secret of [JSON.stringify(key), String(key.x), Buffer.from(String(key.x), 'base64url')]) {
      const signature = createHmac('sha256', secret).update(head).digest('base64url')
      expect(await answerTo(`Bearer ${head}.${signature}`)).toEqual(invalid())
    }
  })

  test('rejects a token that is signed with a key from its own header', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = publicKey.export({ format: 'jwk' }) as Record<string, string>
    const forged = await new SignJWT(decodeJwt(token))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', jwk, jku: 'https://evil.example/jwks' })
      .sign(privateKey)
    expect(await answerTo(`Bearer ${forged}`)).toMatchObject({ status: 401 })
  })

  test('answers a missing scope with 403 and names the scope', async () => {
    const { access_token } = await signIn(`${mounted.issuer}/oauth`, {
      resource: `${mounted.issuer}/mcp`,
      scope: 'email',
    })
    expect(await answerTo(`Bearer ${access_token}`)).toEqual({
      status: 403,
      challenge: `Bearer ${metadata()}, error="insufficient_scope", error_description="The token does not have the required scope: openid."`,
    })
  })

  test('rejects a token from the same issuer for another resource', async () => {
    const { access_token } = await signIn(`${mounted.issuer}/oauth`, { resource: `${mounted.issuer}/other` })
    expect(await answerTo(`Bearer ${access_token}`)).toMatchObject({
      status: 401,
      challenge: expect.stringContaining('issued for another resource'),
    })
  })
})

describe('signed with the right secret', () => {
  const issuer = 'https://auth.example'
  const resource = createProtectedResource({
    resource: 'https://mcp.example/mcp',
    authorizationServer: { issuer, signingSecret: SIGNING_SECRET },
  })
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: issuer,
    aud: 'https://mcp.example/mcp',
    sub: 'ada',
    client_id: 'tool',
    scope: '',
    jti: 'a.b',
    iat: now,
    exp: now + 60,
  }
  const sign = (changes: Record<string, unknown>, typ: string | undefined = 'at+jwt') =>
    new SignJWT({ ...claims, ...changes })
      .setProtectedHeader({ alg: 'HS256', ...(typ && { typ }) })
      .sign(new TextEncoder().encode(SIGNING_SECRET))
  const passes = async (token: string) => 'token' in (await resource.authenticate(`Bearer ${token}`))

  test('accepts a token with all claims, even for several resources', async () => {
    expect(await passes(await sign({}))).toBe(true)
    expect(await passes(await sign({ aud: ['https://other.example', 'https://mcp.example/mcp'] }))).toBe(true)
  })

  test.each([
    ['from another issuer', { iss: 'https://auth.example/' }],
    ['for another resource', { aud: 'https://mcp.example' }],
    ['for a path below the resource', { aud: 'https://mcp.example/mcp/admin' }],
    ['without an audience', { aud: undefined }],
    ['that has expired', { exp: now - 60 }],
    ['that never expires', { exp: undefined }],
    ['that is not valid yet', { nbf: now + 600 }],
    ['without a user', { sub: undefined }],
    ['without a client', { client_id: undefined }],
    ['without an id', { jti: undefined }],
  ])('rejects a token %s', async (_name, changes) => expect(await passes(await sign(changes))).toBe(false))

  test.each(['JWT', 'id+jwt', 'logout+jwt', ''])('rejects a JWT of the type "%s"', async typ =>
    expect(await passes(await sign({}, typ))).toBe(false),
  )
})

test('rejects a previously valid token after it expires', async () => {
  let time = 1000
  const issuer = 'https://auth.example'
  const verify = createTokenVerifier({ issuer, signingSecret: SIGNING_SECRET }, () => time)
  const claims = { iss: issuer, aud: issuer, sub: 'ada', client_id: 'tool', jti: 'a.b', iat: 1000, exp: 1030 }
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
    .sign(new TextEncoder().encode(SIGNING_SECRET))
  await verify(token, issuer)
  time = 1029
  await verify(token, issuer)
  await expect(verify(token, 'https://other.example')).rejects.toThrow('issued for another resource')
  time = 1036
  await expect(verify(token, issuer)).rejects.toThrow('expired')
})

test('rotates keys: old keys stay until their tokens expire, and the next key is published early', async () => {
  let time = 10_000_000
  const now = () => time
  const http = createServer()
  await listen(http)
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const server: AuthorizationServer = createAuthorizationServer({
    issuer,
    upstreamProvider: {
      id: 'idp',
      name: 'IdP',
      clientId: 'a',
      clientSecret: 'b',
      authorizationEndpoint: 'https://idp.example/authorize',
      tokenEndpoint: 'https://idp.example/token',
    },
    signingSecret: SIGNING_SECRET,
    signing: { algorithm: 'ES256', rotationSeconds: 100_000 },
    tokenTTL: 3600,
    now,
  })
  http.on('request', nodeListener(server))
  const kids = async () => {
    const { keys } = (await (await fetch(`${issuer}/oauth/jwks`)).json()) as JSONWebKeySet
    for (const key of keys) expect(key).not.toHaveProperty('d')
    return keys.map(({ kid }) => kid!.split('-').at(-1))
  }
  time = 10_050_000
  expect(await kids()).toEqual(['100'])
  time = 10_099_500
  expect(await kids()).toEqual(['101', '100'])
  time = 10_103_000
  expect(await kids()).toEqual(['101', '100'])
  time = 10_104_000
  expect(await kids()).toEqual(['101'])
  await close(http)
})

test("does not report an invalid token when the issuer's keys are unavailable", async () => {
  const resource = createProtectedResource({
    resource: 'https://mcp.example/mcp',
    authorizationServer: {
      issuer: 'https://a.example',
      jwksUri: 'http://127.0.0.1:1/jwks',
      algorithm: 'ES256',
    },
  })
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k' })
    .sign(privateKey)
  const answer = await resource.authenticate(`Bearer ${token}`)
  expect('token' in answer ? 200 : answer.status).toBe(503)
})

test('revocation and introspection answer 503 when the signing keys cannot be loaded', async () => {
  const storage = memoryStorage()
  await using mounted = await mountAuthorizationServer({
    signing: { algorithm: 'ES256' },
    revocation: true,
    introspection: true,
    storage,
    clients: [{ client_id: 'tool', client_secret: 'a secret', redirect_uris: [CALLBACK] }],
  })
  const base = `${mounted.issuer}/oauth`
  const flow = startFlow(base)
  const code = (await approve(flow)).get('code')!
  const redeemed = await redeem(base, flow, code, { client_secret: 'a secret' })
  const { access_token: token } = (await redeemed.json()) as Tokens
  mounted.restart({
    storage: {
      ...storage,
      get: async (kind, key) => {
        if (kind === 'signing-key') throw new Error('The disk failed.')
        return storage.get(kind, key)
      },
    },
  })
  for (const endpoint of ['revoke', 'introspect']) {
    const answer = await post(`${base}/${endpoint}`, { token, client_id: 'tool', client_secret: 'a secret' })
    expect(await errorOf(answer), endpoint).toEqual({ status: 503, error: 'temporarily_unavailable' })
  }
})
