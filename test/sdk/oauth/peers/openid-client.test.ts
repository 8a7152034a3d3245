import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../support/browser.ts'
import { isCallback } from '../support/flow.ts'
import { CALLBACK, type Mounted, mountAuthorizationServer } from '../support/mounted.ts'

let mounted: Mounted
beforeAll(async () => {
  mounted = await mountAuthorizationServer({
    enableDCR: true,
    refreshTokenTTL: 3600,
    revocation: true,
    introspection: true,
    signing: { algorithm: 'ES256' },
    clients: [{ client_id: 'resource server', client_secret: 'its+secret: ü', redirect_uris: [] }],
  })
})
afterAll(() => mounted[Symbol.asyncDispose]())

const insecure = { execute: [client.allowInsecureRequests] }

test.each([
  ['client_secret_basic', undefined],
  ['client_secret_post', undefined],
  ['none', client.None()],
] as const)('openid-client registers with %s, signs in, refreshes and revokes', async (method, auth) => {
  const metadata = {
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: method,
    grant_types: ['authorization_code', 'refresh_token'],
  }
  const config = await client.dynamicClientRegistration(new URL(mounted.issuer), metadata, auth, {
    ...insecure,
    algorithm: 'oauth2',
  })
  expect(config.clientMetadata().client_secret === undefined).toBe(method === 'none')

  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid email',
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: `${mounted.issuer}/mcp`,
  })
  const browser = createBrowser()
  const back = await browser.submit(await browser.open(url.href), { provider: 'idp' }, isCallback)
  const checks = { pkceCodeVerifier: verifier, expectedState: state }
  const tokens = await client.authorizationCodeGrant(config, new URL(back.url), checks)
  expect(decodeJwt(tokens.access_token)).toMatchObject({
    aud: `${mounted.issuer}/mcp`,
    scope: 'openid email',
  })

  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!)
  const server = await discover('its+secret: ü')
  expect(await client.tokenIntrospection(server, refreshed.access_token)).toMatchObject({
    active: true,
    sub: 'idp|ada',
    client_id: config.clientMetadata().client_id,
    token_type: 'Bearer',
  })
  expect(await client.tokenIntrospection(server, refreshed.refresh_token!)).toMatchObject({ active: true })
  expect(await client.tokenIntrospection(server, tokens.refresh_token!)).toEqual({ active: false })
  await client.tokenRevocation(config, refreshed.refresh_token!)
  expect(await client.tokenIntrospection(server, refreshed.access_token)).toEqual({ active: false })
})

test('a registered client, or one with a wrong secret, cannot introspect tokens', async () => {
  const config = await client.dynamicClientRegistration(
    new URL(mounted.issuer),
    { redirect_uris: [CALLBACK] },
    undefined,
    { ...insecure, algorithm: 'oauth2' },
  )
  await expect(client.tokenIntrospection(config, 'token')).rejects.toMatchObject({
    error: 'unauthorized_client',
  })
  const wrong = await discover('guess')
  await expect(client.tokenIntrospection(wrong, 'token')).rejects.toMatchObject({
    code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
  })
})

function discover(secret: string): Promise<client.Configuration> {
  return client.discovery(
    new URL(mounted.issuer),
    'resource server',
    undefined,
    client.ClientSecretBasic(secret),
    {
      ...insecure,
      algorithm: 'oauth2',
    },
  )
}
