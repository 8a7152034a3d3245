import { isLoopback } from './transport.ts'

/** `fetch` that honours HTTPS_PROXY, HTTP_PROXY and NO_PROXY, which Node's `fetch` ignores by default. */
export async function fetchByProxy(url: string | URL, init?: RequestInit): Promise<Response> {
  const { HTTPS_PROXY, https_proxy, HTTP_PROXY, http_proxy } = process.env
  if (isLoopback(new URL(url).hostname) || !(HTTPS_PROXY ?? https_proxy ?? HTTP_PROXY ?? http_proxy))
    return fetch(url, init)
  const { default: undici } = await import('undici')
  const options = { ...init, dispatcher: new undici.EnvHttpProxyAgent() } as Parameters<
    typeof undici.fetch
  >[1]
  return (await undici.fetch(url, options)) as unknown as Response
}
