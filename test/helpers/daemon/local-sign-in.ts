import {
  type Flow,
  isCallback,
  openAuthorize,
  post,
  redeem,
  startFlow,
  type Tokens,
} from '../../sdk/oauth/support/flow.ts'

/** A user who signed in to a deployment with an API key of the daemon (`provider: local`). */
export interface LocalSignIn {
  client_id: string
  tokens: Tokens
  /** Code that was exchanged for the tokens. */
  code: string
  flow: Flow
}

/** `issuer`: issuer of the deployment. `resource`: URL that the token is for. Default: the deployment's URL. */
export async function signInWithKey(issuer: string, key: string, resource?: string): Promise<LocalSignIn> {
  const base = `${issuer}/oauth`
  const registered = await fetch(`${base}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    }),
  })
  const { client_id } = (await registered.json()) as { client_id: string }
  const flow = startFlow(base, { client_id, resource })
  const page = await flow.browser.submit(await openAuthorize(flow), { provider: 'local' })
  const back = await flow.browser.submit(page, { key }, isCallback)
  const code = new URL(back.url).searchParams.get('code')!
  const tokens = (await (await redeem(base, flow, code, { client_id })).json()) as Tokens
  return { client_id, tokens, code, flow }
}

/** Revokes a token (RFC 7009). Returns the HTTP status. */
export async function revoke(issuer: string, { client_id }: LocalSignIn, token: string): Promise<number> {
  return (await post(`${issuer}/oauth/revoke`, { client_id, token })).status
}
