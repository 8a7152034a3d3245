import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { createBrowser } from '../../sdk/oauth/support/browser.ts'
import { close, listen } from '../../sdk/oauth/support/identity-provider.ts'
import { identityRecords } from '../../sdk/oauth/support/identity-records.ts'

/** A certified authorization server on loopback at which programs sign in with a code (RFC 8628). */
export interface DeviceProvider extends AsyncDisposable {
  issuer: string
  /** Grant types of the requests to the token endpoint, oldest first. */
  grants: string[]
  isGood(accessToken: string): Promise<boolean>
  /** Acts as a user who opens the page, enters the code and allows or denies. */
  enter(code: string, choice: 'allow' | 'abort'): Promise<void>
}

export interface DeviceProviderOptions {
  /** Lets programs register themselves. */
  registration?: boolean
  /** Lifetime of an access token in seconds. Default: 600. */
  tokenTtl?: number
  /** Replaces the provider's response to token requests of this grant type. */
  instead?(grantType: string): { error: string } | undefined
}

export async function startDeviceProvider(options: DeviceProviderOptions = {}): Promise<DeviceProvider> {
  const server = createServer()
  await listen(server)
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const grants: string[] = []
  const provider = new Provider(issuer, await configuration(options))
  signEverybodyIn(provider)
  provider.use(async (ctx, next) => {
    await next()
    // Without an interval, the default is five seconds (RFC 8628 3.2).
    const body = ctx.body as Record<string, unknown> | undefined
    if (ctx.path === '/device/auth' && body?.device_code) ctx.body = { ...body, interval: 0.05 }
    if (ctx.path !== '/token') return
    const grantType = String(ctx.oidc.params?.grant_type)
    grants.push(grantType)
    const instead = options.instead?.(grantType)
    if (instead) Object.assign(ctx, { status: 400, body: instead })
  })
  server.on('request', provider.callback())
  return {
    issuer,
    grants,
    isGood: async token => (await provider.AccessToken.find(token)) !== undefined,
    enter: (code, choice) => enter(issuer, code, choice),
    [Symbol.asyncDispose]: () => close(server),
  }
}

async function configuration(options: DeviceProviderOptions): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return {
    clients: [
      {
        client_id: 'mcp-hosting',
        token_endpoint_auth_method: 'none',
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
        redirect_uris: [],
        response_types: [],
        application_type: 'native',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'k', alg: 'RS256', use: 'sig' }] },
    adapter: identityRecords(),
    scopes: ['openid', 'offline_access', 'build', 'chat'],
    rotateRefreshToken: true,
    ttl: {
      AccessToken: options.tokenTtl ?? 600,
      RefreshToken: 600,
      DeviceCode: 600,
      Grant: 600,
      Interaction: 600,
      Session: 600,
    },
    cookies: { keys: ['cookie key'] },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (ctx, form) => {
          ctx.body = `${form}`
        },
        userCodeConfirmSource: (ctx, form) => {
          ctx.body = `${form}`
        },
        successSource: ctx => {
          ctx.body = 'signed in'
        },
      },
      revocation: { enabled: true, allowedPolicy: () => true },
      registration: { enabled: options.registration ?? false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined as never,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: 'build chat', accessTokenFormat: 'opaque' }),
      },
    },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  }
}

function signEverybodyIn(provider: Provider): void {
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next()
    const { prompt, params, session } = await provider.interactionDetails(ctx.req, ctx.res)
    if (prompt.name === 'login')
      return provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: 'ada' } })
    const grant = new provider.Grant({ accountId: session!.accountId, clientId: String(params.client_id) })
    grant.addOIDCScope(String(params.scope))
    grant.addResourceScope(String(params.resource), 'build chat')
    const consent = { grantId: await grant.save() }
    return provider.interactionFinished(ctx.req, ctx.res, { consent }, { mergeWithLastSubmission: true })
  })
}

async function enter(issuer: string, code: string, choice: 'allow' | 'abort'): Promise<void> {
  const browser = createBrowser()
  const input = await browser.open(`${issuer}/device`)
  const confirmation = await browser.submit(input, { user_code: code })
  await browser.submit(confirmation, choice === 'abort' ? { abort: 'yes' } : { confirm: 'yes' })
}
