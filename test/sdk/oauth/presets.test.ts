import { expect, test } from 'vitest'
import * as presets from '../../../src/sdk/oauth/upstream/presets.ts'
import { type ProviderConfig, validateProvider } from '../../../src/sdk/oauth/upstream/provider.ts'
import { authorizationUrl, createUpstream } from '../../../src/sdk/oauth/upstream/upstream.ts'

const registration = { clientId: 'an id', clientSecret: 'a secret' }

const configs: ProviderConfig[] = [
  presets.google(registration),
  presets.microsoft({ ...registration, tenant: 'contoso.example' }),
  presets.microsoft({ ...registration, tenant: 'common' }),
  presets.github(registration),
  presets.gitlab(registration),
  presets.auth0({ ...registration, domain: 'example.eu.auth0.com' }),
  presets.okta({ ...registration, domain: 'example.okta.com' }),
  presets.keycloak({ ...registration, url: 'https://sso.example', realm: 'my realm' }),
  presets.slack(registration),
  presets.discord(registration),
]

const start = {
  redirectUri: 'https://app.example/cb',
  state: 'state',
  nonce: 'nonce',
  codeVerifier: 'v'.repeat(43),
}

test.each(configs.map(config => [config.id, config] as const))(
  'the preset %s needs no discovery and uses PKCE if the provider supports it',
  async (_id, config) => {
    validateProvider(config)
    const url = new URL(await authorizationUrl(createUpstream(config), start))
    expect(url.origin + url.pathname).toBe(config.authorizationEndpoint)
    expect(url.searchParams.get('client_id')).toBe('an id')
    expect(url.searchParams.get('state')).toBe('state')
    expect(url.searchParams.get('nonce')).toBe(config.issuer ? 'nonce' : null)
    expect(url.searchParams.has('code_challenge')).toBe(config.supportsPkce !== false)
    expect(url.searchParams.get('scope')!.split(' ')).toEqual(config.scopes)
    expect(url.href).not.toContain('secret')
  },
)

test('OpenID providers request openid, profile and email', () => {
  for (const config of configs.filter(({ issuer }) => issuer)) {
    expect(config.scopes).toEqual(['openid', 'profile', 'email'])
  }
})

test('settings of a preset can be overridden', () => {
  const config = presets.google({
    ...registration,
    name: 'Workspace',
    scopes: ['openid'],
    authorizationParameters: { hd: 'example.com' },
  })
  expect(config).toMatchObject({ id: 'google', name: 'Workspace', scopes: ['openid'] })
})

test("a preset sends the operator's additional parameters", async () => {
  const config = presets.google({ ...registration, authorizationParameters: { prompt: 'select_account' } })
  expect(await authorizationUrl(createUpstream(config), start)).toContain('prompt=select_account')
})

test('customProvider supports any OAuth 2.0 provider, and sends no PKCE challenge if PKCE is disabled', async () => {
  const config = presets.customProvider({
    id: 'own',
    name: 'Own',
    ...registration,
    authorizationEndpoint: 'https://own.example/authorize?tenant=1',
    tokenEndpoint: 'https://own.example/token',
    scopes: ['basic'],
    supportsPkce: false,
  })
  const url = new URL(await authorizationUrl(createUpstream(config), start))
  expect(Object.fromEntries(url.searchParams)).toEqual({
    tenant: '1',
    response_type: 'code',
    client_id: 'an id',
    redirect_uri: 'https://app.example/cb',
    scope: 'basic',
    state: 'state',
  })
})
