import { createHash, randomBytes } from 'node:crypto'
import { type Browser, createBrowser, type Page } from './browser.ts'
import { CALLBACK } from './mounted.ts'

export interface Tokens {
  access_token: string
  token_type: string
  expires_in: number
  refresh_token?: string
  scope?: string
  [field: string]: unknown
}

/** Sign-in step by step, with full control over all parameters. */
export interface Flow {
  browser: Browser
  verifier: string
  state: string
  authorizeUrl: string
}

/** Prepares an authorization request. Undefined parameters are omitted. */
export function startFlow(
  base: string,
  parameters: Record<string, string | undefined> = {},
  browser = createBrowser(),
): Flow {
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(16).toString('base64url')
  const all = {
    response_type: 'code',
    client_id: 'tool',
    redirect_uri: CALLBACK,
    state,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  }
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(all)) if (value !== undefined) search.set(name, value)
  return { browser, verifier, state, authorizeUrl: `${base}/authorize?${search}` }
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

export function isCallback(url: string): boolean {
  return url.startsWith('http://127.0.0.1/') || url.startsWith('http://127.0.0.1:1/')
}

/** Opens the authorization URL, which leads to the consent page unless the request is refused or needs no consent. */
export function openAuthorize(flow: Flow): Promise<Page> {
  return flow.browser.open(flow.authorizeUrl, isCallback)
}

/** Signs in up to the redirect to the client, and returns the parameters of the redirect. */
export async function approve(flow: Flow, page?: Page, provider = 'idp'): Promise<URLSearchParams> {
  const back = await flow.browser.submit(page ?? (await openAuthorize(flow)), { provider }, isCallback)
  return new URL(back.url).searchParams
}

/** Sends a form with POST. Undefined fields are omitted. */
export function post(
  url: string,
  form: Record<string, string | undefined>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value)
  return fetch(url, { method: 'POST', body, headers })
}

export function redeem(
  base: string,
  flow: Flow,
  code: string,
  parameters: Record<string, string | undefined> = {},
): Promise<Response> {
  return post(`${base}/token`, {
    grant_type: 'authorization_code',
    client_id: 'tool',
    redirect_uri: CALLBACK,
    code,
    code_verifier: flow.verifier,
    ...parameters,
  })
}

export function refresh(
  base: string,
  token: string,
  parameters: Record<string, string> = {},
): Promise<Response> {
  return post(`${base}/token`, {
    grant_type: 'refresh_token',
    client_id: 'tool',
    refresh_token: token,
    ...parameters,
  })
}

/** Signs a user in and exchanges the code. Returns the tokens. */
export async function signIn(
  base: string,
  parameters: Record<string, string | undefined> = {},
): Promise<Tokens> {
  const flow = startFlow(base, parameters)
  const code = (await approve(flow)).get('code')!
  const response = await redeem(base, flow, code, { client_id: parameters.client_id ?? 'tool' })
  return (await response.json()) as Tokens
}

/** Status and error code of an OAuth error response. */
export async function errorOf(response: Response): Promise<{ status: number; error: unknown }> {
  const body = (await response.json()) as { error?: unknown }
  return { status: response.status, error: body.error }
}
