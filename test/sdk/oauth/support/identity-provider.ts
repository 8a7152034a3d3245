import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import type { ProviderConfig } from '../../../../src/sdk/oauth/upstream/provider.ts'
import { identityRecords } from './identity-records.ts'

export interface IdentityProvider extends AsyncDisposable {
  issuer: string
  /** Configuration of the component for this provider. */
  config: ProviderConfig
}

/** Shared, because creating an RSA key takes a while. */
const keyPair = generateKeyPair('RS256', { extractable: true })

/** Starts a certified identity provider on loopback that signs every user in as the current `account` without asking. */
export async function startIdentityProvider(
  callback: string,
  { account = 'ada', id = 'idp' }: { account?: string | (() => string); id?: string } = {},
): Promise<IdentityProvider> {
  const server = createServer()
  await listen(server)
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = await createProvider(
    issuer,
    callback,
    typeof account === 'string' ? () => account : account,
  )
  server.on('request', provider.callback())
  return {
    issuer,
    config: {
      id,
      name: `Example ${id}`,
      issuer,
      clientId: 'component',
      clientSecret: 'a secret of the component',
    },
    [Symbol.asyncDispose]: () => close(server),
  }
}

async function createProvider(issuer: string, callback: string, account: () => string): Promise<Provider> {
  const { privateKey } = await keyPair
  const provider = new Provider(issuer, {
    clients: [
      { client_id: 'component', client_secret: 'a secret of the component', redirect_uris: [callback] },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'k', alg: 'RS256', use: 'sig' }] },
    adapter: identityRecords(),
    ttl: {
      Interaction: 600,
      Session: 600,
      Grant: 600,
      AccessToken: 600,
      IdToken: 600,
      AuthorizationCode: 60,
    },
    cookies: { keys: ['cookie key'] },
    features: { devInteractions: { enabled: false } },
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({ sub, name: 'Ada Lovelace', email: 'ada@example.com', email_verified: true }),
    }),
  })
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next()
    const { prompt, params, session } = await provider.interactionDetails(ctx.req, ctx.res)
    if (prompt.name === 'login') {
      return provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: account() } })
    }
    const grant = new provider.Grant({ accountId: session!.accountId, clientId: String(params.client_id) })
    grant.addOIDCScope(String(params.scope))
    const consent = { grantId: await grant.save() }
    return provider.interactionFinished(ctx.req, ctx.res, { consent }, { mergeWithLastSubmission: true })
  })
  return provider
}

export function listen(server: Server): Promise<void> {
  return new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
}

export function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise(resolve => server.close(() => resolve()))
}
