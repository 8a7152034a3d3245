import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { CALLBACK, type Mounted, mountAuthorizationServer } from './support/mounted.ts'

let mounted: Mounted
const insecure = { [oauth.allowInsecureRequests]: true }
const client: oauth.Client = { client_id: 'tool' }

beforeAll(async () => {
  mounted = await mountAuthorizationServer()
})
afterAll(() => mounted[Symbol.asyncDispose]())

test('a strict client gets an access token through the consent page and a real identity provider', async () => {
  const issuer = new URL(mounted.issuer)
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
  )
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const url = new URL(server.authorization_endpoint!)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: 'tool',
    redirect_uri: CALLBACK,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()

  const browser = createBrowser()
  const isBack = (address: string) => address.startsWith(CALLBACK)
  const page = await browser.open(url.href, isBack)
  expect(page.text).toContain('A tool wants to sign you in')
  const back = await browser.submit(page, { provider: 'idp' }, isBack)
  const answer = oauth.validateAuthResponse(server, client, new URL(back.url), state)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    answer,
    CALLBACK,
    verifier,
    insecure,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response)

  expect(decodeProtectedHeader(tokens.access_token)).toEqual({ alg: 'HS256', typ: 'at+jwt' })
  expect(decodeJwt(tokens.access_token)).toMatchObject({
    iss: mounted.issuer,
    aud: mounted.issuer,
    sub: 'idp|ada',
    client_id: 'tool',
    scope: 'openid profile email',
  })
  expect(tokens.expires_in).toBe(3600)
})
