import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import type { ProviderConfig } from '../../../../src/sdk/oauth/upstream/provider.ts'
import { close, listen } from './identity-provider.ts'

export interface ScriptedProvider extends AsyncDisposable {
  origin: string
  config: ProviderConfig
  /** Forms that the provider's token endpoint received. */
  tokenRequests: URLSearchParams[]
  /** Changes the provider's responses. `{}` restores them. */
  script: Script
}

interface Script {
  /** Overrides claims of the ID token. */
  idToken?: JWTPayload
  /** Signs ID tokens with a foreign key. */
  isForging?: boolean
  /** Replaces the ID token. */
  rawIdToken?: string
  /** Overrides parameters of the callback. Undefined omits one. */
  callback?: Record<string, string | undefined>
  tokenStatus?: number
  userInfo?: Record<string, unknown>
}

const keyPair = generateKeyPair('RS256', { extractable: true })
const foreignPair = generateKeyPair('RS256')

/**
 * Starts an identity provider that sends invalid responses on request. `kind`: with ID tokens, or plain OAuth 2.0 with user info
 * only.
 */
export async function startScriptedProvider(
  id: string,
  kind: 'openid' | 'plain' = 'openid',
): Promise<ScriptedProvider> {
  const http = createServer()
  await listen(http)
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const nonces = new Map<string, string>()
  const provider: ScriptedProvider = {
    origin,
    config: {
      id,
      name: `Scripted ${id}`,
      clientId: `component at ${id}`,
      clientSecret: `secret at ${id}`,
      authorizationEndpoint: `${origin}/authorize`,
      tokenEndpoint: `${origin}/token`,
      userInfoEndpoint: `${origin}/user`,
      ...(kind === 'openid' && { issuer: origin, jwksUri: `${origin}/jwks` }),
    },
    tokenRequests: [],
    script: {},
    [Symbol.asyncDispose]: () => close(http),
  }
  http.on('request', async (request, response) => {
    const url = new URL(request.url!, origin)
    const json = (body: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.pathname === '/authorize') {
      const code = `code-of-${id}-${nonces.size}`
      nonces.set(code, url.searchParams.get('nonce') ?? '')
      const back = { code, state: url.searchParams.get('state')!, iss: origin, ...provider.script.callback }
      const location = new URL(url.searchParams.get('redirect_uri')!)
      for (const [name, value] of Object.entries(back))
        if (value !== undefined) location.searchParams.set(name, value)
      return response.writeHead(302, { location: location.href }).end()
    }
    if (url.pathname === '/jwks') {
      const jwk = await exportJWK((await keyPair).publicKey)
      return json({ keys: [{ ...jwk, kid: 'k', alg: 'RS256', use: 'sig' }] })
    }
    if (url.pathname === '/user') return json(provider.script.userInfo ?? { sub: 'ada', id: 7, name: 'Ada' })
    let body = ''
    for await (const chunk of request) body += chunk
    const form = new URLSearchParams(body)
    provider.tokenRequests.push(form)
    if (provider.script.tokenStatus) return json({ error: 'invalid_grant' }, provider.script.tokenStatus)
    const claims = {
      iss: origin,
      aud: `component at ${id}`,
      sub: 'ada',
      nonce: nonces.get(form.get('code') ?? ''),
      ...provider.script.idToken,
    }
    const idToken = await new SignJWT({ iat: now(), exp: now() + 60, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .sign((await (provider.script.isForging ? foreignPair : keyPair)).privateKey)
    json({
      access_token: `upstream-access-token-of-${id}`,
      token_type: 'Bearer',
      refresh_token: `upstream-refresh-token-of-${id}`,
      ...(kind === 'openid' && { id_token: provider.script.rawIdToken ?? idToken }),
    })
  })
  return provider
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}
