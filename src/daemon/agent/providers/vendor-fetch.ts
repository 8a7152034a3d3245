/**
 * `fetch` for model vendors. HTTPS_PROXY, HTTP_PROXY and NO_PROXY hold for it, which Node's own looks at only when it was
 * started so; undici is loaded only where one of them is set.
 */
export function vendorFetch(env: NodeJS.ProcessEnv = process.env): typeof fetch | undefined {
  const proxied = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].some(name => env[name])
  if (!proxied) return undefined
  return async (input, init) => {
    // Its default alone: of CommonJS a bundle's lazy import has no names.
    const { default: undici } = await import('undici')
    agent ??= new undici.EnvHttpProxyAgent()
    return undici.fetch(
      input as string,
      { ...init, dispatcher: agent } as never,
    ) as unknown as Promise<Response>
  }
}

let agent: import('undici').EnvHttpProxyAgent | undefined
