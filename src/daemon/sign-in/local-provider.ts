import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readForm } from '../../sdk/oauth/http/request-body.ts'
import { OAuthError } from '../../sdk/oauth/oauth-error.ts'
import { errorPage } from '../../sdk/oauth/pages/error-page.ts'
import { html, pageResponse } from '../../sdk/oauth/pages/html.ts'
import type { Parameters } from '../../sdk/oauth/rules/parameters.ts'
import type { ProviderConfig } from '../../sdk/oauth/upstream/provider.ts'

/** User of an API key. Undefined when the key is unknown or expired. */
export type LocalUsers = (apiKey: string) => { id: string; name: string } | undefined

export interface LocalProviderOptions {
  origin: string
  deriveKey(purpose: string): string
  users: LocalUsers
}

/** The validated parameters of the page. */
interface SignIn {
  redirectUri: string
  state: string
  challenge: string
}

interface Code extends SignIn {
  id: string
  user: { id: string; name: string }
  /** Unix time in milliseconds. */
  expiresAt: number
}

const PATH = '/sign-in'
const CODE_MS = 60_000
/** Maximum number of remembered used codes. The authorization server accepts each sign-in only once, too. */
const MAX_CODES = 1000
const MAX_FORM_BYTES = 16 * 1024

/**
 * An identity provider for development. Users sign in with an API key of the daemon. Its only clients are the authorization
 * servers of this daemon. Codes and tokens are signed and self-contained, so they survive a restart.
 */
export class LocalProvider {
  /** Configuration for the authorization servers. */
  readonly config: ProviderConfig
  readonly #options: LocalProviderOptions
  readonly #used = new Set<string>()

  constructor(options: LocalProviderOptions) {
    this.#options = options
    const url = `${options.origin}${PATH}`
    this.config = {
      id: 'local',
      name: 'an API key',
      authorizationEndpoint: url,
      tokenEndpoint: `${url}/token`,
      userInfoEndpoint: `${url}/user`,
      clientId: 'mcp-hosting',
      clientSecret: options.deriveKey('sign-in client'),
      scopes: ['openid'],
      tokenEndpointAuthMethod: 'client_secret_post',
    }
  }

  /** Answers requests to `/sign-in` and paths below it. */
  async fetch(request: Request): Promise<Response> {
    try {
      return await this.#answer(request)
    } catch (error) {
      if (error instanceof OAuthError) return errorPage(error)
      throw error
    }
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const route = `${request.method} ${pathname}`
    if (route === `GET ${PATH}`) return this.#page(searchParams)
    if (route === `POST ${PATH}`) return this.#signIn(searchParams, await readForm(request, MAX_FORM_BYTES))
    if (route === `POST ${PATH}/token`) return this.#token(await readForm(request, MAX_FORM_BYTES))
    if (route === `GET ${PATH}/user`) return this.#user(request.headers.get('authorization'))
    return Response.json({ error: 'not_found' }, { status: 404 })
  }

  #page(parameters: URLSearchParams, problem?: string): Response {
    if (!this.#read(parameters)) throw notOpenedByClient()
    const body = html`<h1>Sign in to this machine</h1>
<p>This server uses the sign-in for development. Enter an API key of this daemon.</p>
${problem === undefined ? undefined : html`<p class="warning" role="alert">${problem}</p>`}
<form method="post" action="${`${PATH}?${parameters}`}">
<label>API key <input type="password" name="key" autocomplete="off" required autofocus></label>
<button class="allow">Sign in</button>
</form>
<p>No key? Run <code>mcp keys create --name sign-in</code>.</p>`
    return pageResponse('Sign in to this machine', body, { status: problem === undefined ? 200 : 403 })
  }

  // Only the key counts. No cookie is used, so pages of other sites cannot sign a user in.
  #signIn(parameters: URLSearchParams, form: Parameters): Response {
    const signIn = this.#read(parameters)
    if (!signIn) throw notOpenedByClient()
    const user = this.#options.users(form.get('key')?.trim() ?? '')
    if (!user) return this.#page(parameters, 'Unknown or expired API key.')
    const id = randomBytes(16).toString('base64url')
    const code = this.#sign('code', { id, ...signIn, user, expiresAt: Date.now() + CODE_MS } satisfies Code)
    const back = new URL(signIn.redirectUri)
    back.searchParams.set('code', code)
    back.searchParams.set('state', signIn.state)
    return new Response(null, { status: 303, headers: { Location: back.href, 'Cache-Control': 'no-store' } })
  }

  #token(form: Parameters): Response {
    const known = this.#useCode(form.get('code') ?? '')
    const verifier = form.get('code_verifier') ?? ''
    const isValid =
      known !== undefined &&
      sameText(form.get('client_secret') ?? '', this.config.clientSecret) &&
      form.get('redirect_uri') === known.redirectUri &&
      sameText(createHash('sha256').update(verifier).digest('base64url'), known.challenge)
    if (!isValid) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    const access_token = this.#sign('token', { ...known.user, expiresAt: Date.now() + CODE_MS })
    return Response.json({ access_token, token_type: 'Bearer', expires_in: CODE_MS / 1000 }, NO_STORE)
  }

  #user(authorization: string | null): Response {
    const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? ''
    const user = this.#open<{ id: string; name: string; expiresAt: number }>('token', token)
    if (!user) return Response.json({ error: 'invalid_token' }, { status: 401 })
    return Response.json({ sub: user.id, name: user.name }, NO_STORE)
  }

  /** Undefined if a parameter is missing, or unless the sign-in returns to an authorization server of this daemon. */
  #read(parameters: URLSearchParams): SignIn | undefined {
    const redirectUri = parameters.get('redirect_uri') ?? ''
    const state = parameters.get('state')
    const challenge = parameters.get('code_challenge')
    if (parameters.get('client_id') !== this.config.clientId || !state || !challenge) return undefined
    if (!URL.canParse(redirectUri)) return undefined
    const { origin, pathname } = new URL(redirectUri)
    const isOurs =
      origin === this.#options.origin && /^\/auth\/[^/]+\/[a-z]+\/oauth\/callback$/.test(pathname)
    return isOurs ? { redirectUri, state, challenge } : undefined
  }

  /** Undefined for an unknown, expired or used code. */
  #useCode(code: string): Code | undefined {
    const known = this.#open<Code>('code', code)
    if (!known || this.#used.has(known.id)) return undefined
    if (this.#used.size >= MAX_CODES) this.#used.delete(this.#used.values().next().value!)
    this.#used.add(known.id)
    return known
  }

  #sign(purpose: 'code' | 'token', value: object): string {
    const text = Buffer.from(JSON.stringify(value)).toString('base64url')
    return `${text}.${this.#mac(purpose, text)}`
  }

  #open<T extends { expiresAt: number }>(purpose: 'code' | 'token', signed: string): T | undefined {
    const [text = '', mac = ''] = signed.split('.')
    if (!sameText(mac, this.#mac(purpose, text))) return undefined
    const value = JSON.parse(Buffer.from(text, 'base64url').toString()) as T
    return value.expiresAt > Date.now() ? value : undefined
  }

  #mac(purpose: 'code' | 'token', text: string): string {
    const key = this.#options.deriveKey(`sign-in ${purpose}`)
    return createHmac('sha256', key).update(text).digest('base64url')
  }
}

const NO_STORE = { headers: { 'Cache-Control': 'no-store' } }

function notOpenedByClient(): OAuthError {
  return new OAuthError('invalid_request', "Only an MCP client's sign-in can open this page.")
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
