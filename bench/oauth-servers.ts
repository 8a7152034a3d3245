import { createHash } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import type { AuthorizationServer } from '../src/sdk/oauth/authorization-server.ts'
import type { OAuthStorage } from '../src/sdk/oauth/storage/storage.ts'

/**
 * A separate process with the token endpoint and bearer check that are measured: `component`, `component-sqlite <file>` or
 * `oidc-provider [bearer]`. Prints the token endpoint, a URL that needs a bearer token, and initial refresh tokens.
 */
const LANES = 16
const CLIENT = 'bench'
const SECRET = 'a secret of more than thirty-two bytes, for both'
const [kind, file] = process.argv.slice(2)

// The benchmark measures the shipped bundle.
const shipped = new URL('../dist/oauth.js', import.meta.url).href
const oauth: typeof import('../src/sdk/oauth/main.ts') = await import(shipped)

const http = createServer()
await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
const subject = kind === 'oidc-provider' ? await createOidcProvider() : await createComponent()
http.on('request', subject.listener)
console.log(JSON.stringify({ ...subject, listener: undefined, client: CLIENT, secret: SECRET }))
process.on('disconnect', () => process.exit(0))

interface Subject {
  listener: RequestListener
  token: string
  bearer: string
  refreshTokens: string[]
}

async function createComponent(): Promise<Subject> {
  const storage = kind === 'component-sqlite' ? oauth.sqliteStorage({ path: file! }) : oauth.memoryStorage()
  const server = oauth.createAuthorizationServer({
    issuer,
    upstreamProvider: {
      id: 'idp',
      name: 'Nobody',
      clientId: 'x',
      clientSecret: 'x',
      authorizationEndpoint: `${issuer}/none`,
      tokenEndpoint: `${issuer}/none`,
    },
    signingSecret: SECRET,
    signing: { algorithm: 'ES256' },
    refreshTokenTTL: 3600,
    storage,
    clients: [{ client_id: CLIENT, client_secret: SECRET, redirect_uris: [] }],
  })
  const resource = oauth.createProtectedResource({ resource: `${issuer}/mcp`, authorizationServer: server })
  const answer = oauth.nodeListener(server)
  return {
    token: `${issuer}/oauth/token`,
    bearer: `${issuer}/mcp`,
    refreshTokens: await Promise.all(Array.from({ length: LANES }, (_, lane) => seed(server, storage, lane))),
    listener: async (request, response) => {
      if (request.url !== '/mcp') return answer(request, response)
      if (await oauth.nodeBearer(resource, request, response)) response.end('{"sub":"ada"}')
    },
  }
}

/** Creates a refresh token from the records that a sign-in would leave, without a sign-in. */
async function seed(server: AuthorizationServer, storage: OAuthStorage, lane: number): Promise<string> {
  const code = `code-${lane}`
  const verifier = 'v'.repeat(43)
  const grant = {
    clientId: CLIENT,
    subject: 'idp|ada',
    providerId: 'idp',
    scope: ['openid'],
    resources: [`${issuer}/mcp`],
    account: '',
    signedInAt: 0,
    keptUntil: 0,
  }
  const codeChallenge = sha256(verifier)
  await storage.put('grant', `grant${lane}`, grant)
  await storage.put('code', sha256(code), {
    grantId: `grant${lane}`,
    clientId: CLIENT,
    redirectUri: '',
    codeChallenge,
  })
  const form = {
    grant_type: 'authorization_code',
    client_id: CLIENT,
    client_secret: SECRET,
    code,
    code_verifier: verifier,
  }
  const request = new Request(`${issuer}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { refresh_token } = (await (await server.fetch(request)).json()) as { refresh_token: string }
  return refresh_token
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

async function createOidcProvider(): Promise<Subject> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const resourceServer = {
    scope: 'openid',
    accessTokenFormat: 'jwt' as const,
    jwt: { sign: { alg: 'ES256' as const } },
  }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT,
        client_secret: SECRET,
        redirect_uris: ['https://client.example/'],
        grant_types: ['authorization_code', 'refresh_token'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'k', alg: 'ES256', use: 'sig' }] },
    cookies: { keys: ['k'] },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        // The bearer check of oidc-provider accepts opaque tokens, and its resources accept JWTs. Both are defaults.
        defaultResource: () => (measuresBearer ? [] : `${issuer}/mcp`),
        useGrantedResource: () => true,
        getResourceServerInfo: () => resourceServer,
      },
    },
    rotateRefreshToken: true,
    ttl: {
      RefreshToken: 3600,
      AccessToken: 3600,
      Grant: 3600,
      IdToken: 3600,
      Session: 3600,
      Interaction: 3600,
    },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  })
  const client = (await provider.Client.find(CLIENT))!
  const create = async (resource: string | undefined) => {
    const grant = new provider.Grant({ accountId: 'ada', clientId: CLIENT })
    grant.addOIDCScope('openid')
    if (resource) grant.addResourceScope(resource, 'openid')
    const grantId = await grant.save()
    const token = new provider.RefreshToken({
      accountId: 'ada',
      client,
      grantId,
      gty: 'authorization_code',
      scope: 'openid',
      resource,
    } as never)
    return token.save()
  }
  const measuresBearer = file === 'bearer'
  return {
    token: `${issuer}/token`,
    bearer: `${issuer}/me`,
    refreshTokens: await Promise.all(
      Array.from({ length: LANES }, () => create(measuresBearer ? undefined : `${issuer}/mcp`)),
    ),
    listener: provider.callback(),
  }
}
