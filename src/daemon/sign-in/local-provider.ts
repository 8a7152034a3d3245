import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readForm } from '../../sdk/oauth/http/request-body.ts'
import { OAuthError } from '../../sdk/oauth/oauth-error.ts'
import { errorPage } from '../../sdk/oauth/pages/error-page.ts'
import { html, pageResponse } from '../../sdk/oauth/pages/html.ts'
import type { ProviderConfig } from '../../sdk/oauth/upstream/provider.ts'

/** Who is behind an API key; undefined when it is not known or expired. */
export type LocalUsers = (apiKey: string) => { id: string; name: string } | undefined

export interface LocalProviderOptions {
  origin: string
  deriveKey(purpose: string): string
  users: LocalUsers
}

/** What the page was opened with, all of it checked. */
interface SignIn {
  redirectUri: string
  state: string
  challenge: string
}

interface Code extends SignIn {
  id: string
  user: { id: string; name: string }
  /** Unix milliseconds. */
  expiresAt: number
}

const PATH = '/sign-in'
const CODE_MS = 60_000
/** Used codes that are remembered; the sign-in that one belongs to ends once, too. */
const MAX_CODES = 1000
const MAX_FORM_BYTES = 16 * 1024

/**
 * An identity provider for development, without any other party: who has an API key of the daemon signs in as its user. The
 * authorization servers of this daemon are its only clients. Codes and tokens say themselves what they are for, so that a
 * restart loses none.
 */
export class LocalProvider {
  /** As the authorization servers use it. */
  readonly config: ProviderConfig
  readonly #options: LocalProviderOptions
  readonly #used = new Set<string>()

  constructor(options: LocalProviderOptions) {
    this.#options = options
    const address = `${options.origin}${PATH}`
    this.config = {
      id: 'local',
      name: 'This machine',
      authorizationEndpoint: address,
      tokenEndpoint: `${address}/token`,
      userInfoEndpoint: `${address}/user`,
      clientId: 'mcp-hosting',
      clientSecret: options.deriveKey('sign-in client'),
      scopes: ['openid'],
      tokenEndpointAuthMethod: 'client_secret_post',
    }
  }

  /** Answers what lies at `/sign-in`. */
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
    if (!this.#read(parameters)) throw misopened()
    const body = html`<h1>Sign in to this machine</h1>
<p>The server runs in development, and its users are those who have an API key of this daemon.</p>
${problem === undefined ? undefined : html`<p class="warning" role="alert">${problem}</p>`}
<form method="post" action="${`${PATH}?${parameters}`}">
<label>API key <input type="password" name="key" autocomplete="off" required autofocus></label>
<button class="allow">Sign in</button>
</form>
<p>No key at hand? <code>mcp keys create --name sign-in</code> makes one.</p>`
    return pageResponse('Sign in to this machine', body, { status: problem === undefined ? 200 : 403 })
  }

  // Nothing but the key counts: no cookie makes a page of another site able to sign somebody in.
  #signIn(parameters: URLSearchParams, form: URLSearchParams): Response {
    const signIn = this.#read(parameters)
    if (!signIn) throw misopened()
    const user = this.#options.users(form.get('key')?.trim() ?? '')
    if (!user) return this.#page(parameters, 'That API key is not known here, or it expired.')
    const id = randomBytes(16).toString('base64url')
    const code = this.#sign('code', { id, ...signIn, user, expiresAt: Date.now() + CODE_MS } satisfies Code)
    const back = new URL(signIn.redirectUri)
    back.searchParams.set('code', code)
    back.searchParams.set('state', signIn.state)
    return new Response(null, { status: 303, headers: { Location: back.href, 'Cache-Control': 'no-store' } })
  }

  #token(form: URLSearchParams): Response {
    const known = this.#useCode(form.get('code') ?? '')
    const verifier = form.get('code_verifier') ?? ''
    const isGood =
      known !== undefined &&
      sameText(form.get('client_secret') ?? '', this.config.clientSecret) &&
      form.get('redirect_uri') === known.redirectUri &&
      sameText(createHash('sha256').update(verifier).digest('base64url'), known.challenge)
    if (!isGood) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    const access_token = this.#sign('token', { ...known.user, expiresAt: Date.now() + CODE_MS })
    return Response.json({ access_token, token_type: 'Bearer', expires_in: CODE_MS / 1000 }, NO_STORE)
  }

  #user(authorization: string | null): Response {
    const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? ''
    const user = this.#open<{ id: string; name: string; expiresAt: number }>('token', token)
    if (!user) return Response.json({ error: 'invalid_token' }, { status: 401 })
    return Response.json({ sub: user.id, name: user.name }, NO_STORE)
  }

  /** Undefined unless the request is one that an authorization server of this daemon makes. */
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

  /** Undefined for a code that is none of ours, is over, or came before. */
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

function misopened(): OAuthError {
  return new OAuthError('invalid_request', 'This page is opened by the sign-in of an MCP client.')
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
