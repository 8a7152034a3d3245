import { expect, test } from 'vitest'
import {
  type AuthorizationServerOptions,
  createAuthorizationServer,
} from '../../../src/sdk/oauth/authorization-server.ts'
import { createProtectedResource } from '../../../src/sdk/oauth/resource/protected-resource.ts'
import { github, google } from '../../../src/sdk/oauth/upstream/presets.ts'

const registration = { clientId: 'id', clientSecret: 'secret' }
const issuer = 'https://app.example'

function create(options: Partial<AuthorizationServerOptions> = {}) {
  return createAuthorizationServer({
    issuer,
    upstreamProvider: google(registration),
    signingSecret: 'x'.repeat(32),
    ...options,
  })
}

async function metadataOf(
  options: Partial<AuthorizationServerOptions>,
  path = '',
): Promise<Record<string, unknown>> {
  const response = await create(options).fetch(
    new Request(`${issuer}/.well-known/oauth-authorization-server${path}`),
  )
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  return (await response.json()) as Record<string, unknown>
}

const DOCUMENTED = {
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  scopes_supported: ['openid', 'profile', 'email'],
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code'],
  code_challenge_methods_supported: ['S256'],
}

test('the metadata has exactly the documented values and those of newer specifications', async () => {
  expect(await metadataOf({ enableDCR: true })).toEqual({
    ...DOCUMENTED,
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  })
})

test('the metadata contains only enabled endpoints', async () => {
  expect(await metadataOf({})).not.toHaveProperty('registration_endpoint')
  expect(
    await metadataOf({
      refreshTokenTTL: 60,
      revocation: true,
      introspection: true,
      signing: { algorithm: 'EdDSA' },
      scopes: ['tools'],
    }),
  ).toMatchObject({
    grant_types_supported: ['authorization_code', 'refresh_token'],
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    jwks_uri: `${issuer}/oauth/jwks`,
    scopes_supported: ['tools'],
  })
})

test('the well-known path is inserted between the host and the path of an issuer', async () => {
  const metadata = await metadataOf({ issuer: `${issuer}/tenants/a` }, '/tenants/a')
  expect(metadata).toMatchObject({
    issuer: `${issuer}/tenants/a`,
    token_endpoint: `${issuer}/tenants/a/oauth/token`,
  })
})

test('endpoints for clients allow cross-origin requests, but pages do not', async () => {
  const server = create({ enableDCR: true })
  const preflight = (path: string) => server.fetch(new Request(issuer + path, { method: 'OPTIONS' }))
  for (const path of ['/.well-known/oauth-authorization-server', '/oauth/token', '/oauth/register']) {
    const response = await preflight(path)
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    expect(response.headers.get('access-control-allow-private-network')).toBeNull()
  }
  const headers = { 'access-control-request-private-network': 'true' }
  const fromPublicPage = new Request(`${issuer}/oauth/token`, { method: 'OPTIONS', headers })
  const allowed = await server.fetch(fromPublicPage)
  expect(allowed.headers.get('access-control-allow-private-network')).toBe('true')
  for (const path of ['/oauth/authorize', '/oauth/consent', '/oauth/callback']) {
    const response = await preflight(path)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toMatch(/^(GET|POST)$/)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  }
})

test('unsupported methods and paths are rejected', async () => {
  const server = create()
  const wrong = await server.fetch(new Request(`${issuer}/oauth/token?code=a`))
  expect(wrong.status).toBe(405)
  expect(wrong.headers.get('allow')).toBe('POST')
  expect((await server.fetch(new Request(`${issuer}/oauth/register`, { method: 'POST' }))).status).toBe(404)
  expect(server.has('/oauth/register')).toBe(false)
})

test('cookies of an https issuer are restricted to its host and https', async () => {
  const server = create({ clients: [{ client_id: 'a', redirect_uris: ['https://a.example/'] }] })
  const search = new URLSearchParams({
    response_type: 'code',
    client_id: 'a',
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  })
  const page = await server.fetch(new Request(`${issuer}/oauth/authorize?${search}`))
  expect(page.headers.getSetCookie()[0]).toMatch(
    /^__Host-mcp-consent=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
})

test.each([
  [{ issuer: 'http://app.example' }, 'must be an https URL'],
  [{ issuer: 'https://app.example/' }, 'trailing slash'],
  [{ issuer: 'https://app.example?a' }, 'must be an https URL'],
  [{ issuer: 'app.example' }, 'must be an https URL'],
  [{ signingSecret: 'short' }, 'at least 32 bytes'],
  [{ signingSecret: undefined as never }, 'at least 32 bytes'],
  [{ tokenTTL: 0 }, 'more than 0'],
  [{ upstreamProvider: { ...google(registration), id: 'No good' } }, 'Provider id "No good"'],
  [{ upstreamProvider: { ...google(registration), clientId: '' } }, 'has no clientId'],
  [{ upstreamProvider: { ...github(registration), tokenEndpoint: 'http://github.com/x' } }, 'tokenEndpoint'],
  [
    { upstreamProvider: { id: 'a', name: 'A', ...registration } },
    'needs authorizationEndpoint and tokenEndpoint',
  ],
  [{ clients: [{ client_id: 'a', redirect_uris: ['javascript:x'] }] }, 'Client "a"'],
  [{ resources: ['mcp'] }, 'The resource "mcp"'],
])('createAuthorizationServer rejects the options %j', (options, message) => {
  expect(() => create(options)).toThrow(message)
})

test('a protected resource serves its metadata at the well-known path of its URL and at the root', async () => {
  const resource = createProtectedResource({
    resource: 'https://app.example/a/mcp',
    authorizationServer: create(),
    requiredScopes: ['openid'],
    name: 'An MCP server',
  })
  expect(resource.metadataUrl).toBe('https://app.example/.well-known/oauth-protected-resource/a/mcp')
  for (const path of [
    '/.well-known/oauth-protected-resource/a/mcp',
    '/.well-known/oauth-protected-resource',
  ]) {
    expect(resource.has(path)).toBe(true)
    const response = await resource.fetch(new Request(issuer + path))
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toEqual({
      resource: 'https://app.example/a/mcp',
      authorization_servers: [issuer],
      scopes_supported: ['openid'],
      bearer_methods_supported: ['header'],
      resource_name: 'An MCP server',
    })
  }
  const elsewhere = '/.well-known/oauth-protected-resource/other'
  expect(resource.has(elsewhere)).toBe(false)
  expect((await resource.fetch(new Request(issuer + elsewhere))).status).toBe(404)
  expect((await resource.fetch(new Request(resource.metadataUrl, { method: 'POST' }))).status).toBe(405)
})

test('HEAD for a document returns the headers of GET, and pages reject HEAD', async () => {
  const server = create()
  const head = (path: string) => server.fetch(new Request(issuer + path, { method: 'HEAD' }))
  const metadata = await head('/.well-known/oauth-authorization-server')
  expect([metadata.status, await metadata.text()]).toEqual([200, ''])
  expect(metadata.headers.get('content-type')).toBe('application/json')
  expect((await head('/oauth/authorize')).status).toBe(405)
  const resource = createProtectedResource({
    resource: 'https://app.example/mcp',
    authorizationServer: server,
  })
  const document = await resource.fetch(new Request(resource.metadataUrl, { method: 'HEAD' }))
  expect([document.status, await document.text()]).toEqual([200, ''])
})
